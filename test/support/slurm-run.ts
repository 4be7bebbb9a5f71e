/** One step of the tiny pipeline as a run on Slurm, in a directory of its own, with helpers that look at its files. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LaunchSpec, SlurmOptions } from "../../compiler/pipeline.ts";
import { exitOf, type Exit } from "../../runtime/watch/lines.ts";
import type { Handle, Observation, RunSpec, Target } from "../../runtime/target.ts";
import { tiny, tinyLaunch, type TinyOptions } from "./tiny.ts";

export const slurmDefaults: SlurmOptions = {
  partition: null,
  account: null,
  qos: null,
  time: 600,
  requeue: true,
  lead: 60,
  exclusive: false,
  cpus: null,
  memory: null,
  constraint: null,
  reservation: null,
  raw: {},
};

export interface SlurmRunOptions extends TinyOptions {
  readonly step: string;
  readonly nodes?: number;
  readonly slurm?: Partial<SlurmOptions>;
  readonly inputs?: RunSpec["inputs"];
  readonly env?: LaunchSpec["env"];
}

/** Writes the bundle; `processes` is the world, spread over `nodes`. */
export function slurmRun(project: string, directory: string, options: SlurmRunOptions): RunSpec {
  const { nodes = 1, inputs = [], slurm = {}, env = {} } = options;
  const { bundle } = tiny(project, options);
  for (const file of bundle.files) {
    const path = join(directory, "bundle", file.path);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, file.text, { mode: file.executable === true ? 0o755 : 0o644 });
  }
  const step = bundle.steps.find(({ name }) => name === options.step);
  if (step === undefined) throw new Error(`no step ${options.step}`);
  return {
    id: "t1",
    step: { ...step, nodes, processes: step.processes / nodes },
    launch: { ...tinyLaunch(env), target: { kind: "slurm", ...slurmDefaults, ...slurm } },
    directory,
    bundle: join(directory, "bundle"),
    project,
    attempt: 0,
    inputs,
    after: [],
  };
}

/** Polls as the runtime does, until the job has one of the states. */
export async function until(target: Target, handle: Handle, states: readonly string[]): Promise<Observation> {
  for (;;) {
    const seen = (await target.poll([handle])).get(handle);
    if (seen !== undefined && states.includes(seen.state)) return seen;
    await sleep(250);
  }
}

export async function untilStep(directory: string, step: number): Promise<void> {
  for (;;) {
    const path = join(directory, "metrics.jsonl");
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    if (lines.some((line) => Number(/"step":\s*(\d+)/.exec(line)?.[1]) >= step)) return;
    await sleep(50);
  }
}

export function exitFile(directory: string, attempt: number): Exit | null {
  const path = join(directory, "exit", `a${attempt}.json`);
  return existsSync(path) ? exitOf(readFileSync(path, "utf8")) : null;
}

/** One digest over the weights of the newest checkpoint. */
export function weightsOf(directory: string): string {
  const newest = readdirSync(join(directory, "checkpoints"))
    .filter((name) => name.startsWith("step-"))
    .sort()
    .at(-1);
  const root = join(directory, "checkpoints", newest ?? "none");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".safetensors"),
  );
  if (files.length === 0) throw new Error(`no weights in ${root}: ${readdirSync(root).join(", ")}`);
  const hash = createHash("sha256").update(newest ?? "");
  for (const file of files.sort()) hash.update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

export function slurmLog(directory: string): string {
  return readFileSync(join(directory, "slurm", "a0.log"), "utf8");
}
