/** `run.json`: what was asked, resolved and hashed, one version per attempt. Secrets are named in it, never held. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import type { StartedLaunch } from "../../compiler/pipeline.ts";
import { variableName } from "../../compiler/targets/quote.ts";
import type { RunSpec } from "../target.ts";
import { isCopy } from "./whereabouts.ts";

const which = z.union([z.enum(["result", "last", "best"]), z.templateLiteral(["step-", z.int().positive()])]);

const step = z.object({
  name: z.string(),
  kind: z.enum(["tokenizer", "data", "stage", "eval", "sample", "measure"]),
  program: z.enum(["tokenize", "prepare", "train", "evaluate", "generate", "measure", "megatron"]),
  config: z.string(),
  files: z.array(z.string()),
  nodes: z.number(),
  processes: z.number(),
  device: z.enum(["gpu", "cpu"]),
  inputs: z.array(z.object({ name: z.string(), step: z.string(), which })),
  root: z.string(),
  total: z.number().nullable(),
  unit: z.enum(["steps", "bytes", "batches", "prompts", "measurements"]),
  estimate: z.object({ memory: z.number(), step_seconds: z.number() }).nullable(),
});

/** A run directory may be somebody else's: what stands in a shell without quotes is no more than a name. */
const variable = z.string().regex(variableName);

const handle = z.discriminatedUnion("target", [
  z.object({ target: z.literal("local"), host: z.string(), pid: z.number(), started: z.string() }),
  z.object({ target: z.literal("slurm"), job: z.string().regex(/^\d+$/), cluster: z.string().nullable() }),
]);

const record = z.object({
  format: z.literal(1),
  id: z.string(),
  step,
  /** The file it came from, as the user named it. */
  file: z.string(),
  project: z.string(),
  attempt: z.number(),
  inputs: z.array(z.object({ name: z.string(), directory: z.string(), which: z.string() })),
  target: z.enum(["local", "slurm"]),
  handle: handle.nullable(),
  /** The directory that it was started in. */
  at: z.object({ path: z.string(), inode: z.string() }).optional(),
  command: z.array(z.string()),
  cwd: z.string(),
  env: z.record(variable, z.string()),
  secrets: z.array(variable),
  /** SHA-256 of each file that decides the result, and what was read from outside. */
  hashes: z.record(z.string(), z.string()),
  sources: z.array(z.string()),
  /** Written by the same program that reads it again on resume; only its shape at the top is checked. */
  launch: z.looseObject({
    name: z.string(),
    target: z.looseObject({ kind: z.enum(["local", "slurm"]) }),
    env: z.record(variable, z.union([z.string(), z.object({ secret: variable })])).default({}),
  }),
  /** Seconds since 1970: of the run, of this attempt. */
  created: z.number(),
  started: z.number(),
});

export type RunRecord = Readonly<z.infer<typeof record>>;

export type ReadRecord =
  /** `copyOf`: the directory whose copy this is; its handle is left out, since what it points at runs there. */
  | { readonly ok: true; readonly record: RunRecord; readonly copyOf: string | null }
  | { readonly ok: false; readonly why: string };

export function readRecord(directory: string): ReadRecord {
  const path = join(directory, "run.json");
  try {
    const parsed = record.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (parsed.success) {
      const { data } = parsed;
      if (data.at === undefined || !isCopy(directory, data.at)) return { ok: true, record: data, copyOf: null };
      return { ok: true, record: { ...data, handle: null }, copyOf: data.at.path };
    }
    const issue = parsed.error.issues[0];
    return { ok: false, why: `${path}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a run record"}` };
  } catch (error) {
    return { ok: false, why: `${path}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export async function writeRecord(directory: string, value: RunRecord): Promise<void> {
  await writeFileAtomic(join(directory, "run.json"), `${JSON.stringify(value, null, 2)}\n`);
}

/** The launch without what points into the source text. */
export function launchRecord(launch: StartedLaunch): RunRecord["launch"] {
  const { span: _, ...cluster } = launch.cluster;
  const { name, env, target } = launch;
  return { name, env, cluster, target: { ...target } };
}

/** The attempt that a record describes, as its target wants it. */
export function specOf(directory: string, value: RunRecord): RunSpec {
  const span = { source: { path: "run.json", text: "" }, start: 0, end: 0 };
  // Written by `launchRecord`, which takes away only what points into the source.
  const written = value.launch as unknown as Omit<StartedLaunch, "cluster" | "span" | "spans"> & {
    readonly cluster: Omit<StartedLaunch["cluster"], "span">;
  };
  return {
    id: value.id,
    step: value.step,
    launch: { ...written, span, spans: new Map(), cluster: { ...written.cluster, span } },
    directory,
    bundle: join(directory, "bundle"),
    project: value.project,
    attempt: value.attempt,
    inputs: value.inputs,
    after: [],
  };
}
