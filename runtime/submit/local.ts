/** This machine: the node agent as a process of its own session, which outlives whoever started it. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isTraining } from "../../compiler/bundle/steps.ts";
import { readRecord } from "../state/record.ts";
import { refusal, type Refusal } from "../run/refusal.ts";
import type { Handle, Observation, Request, RunSpec, Target } from "../target.ts";
import { carrying, catches, familyOf, restartedSince, send, startOf } from "./process.ts";

/** Marks every process of a run, so that those whose parent died are found again. */
const runMark = "CDR_RUN_DIRECTORY";

export const local: Target = { name: "local", request, submit, poll, signal };

/** The interpreter's path is known only once its environment is made: a shell asks for it and becomes the agent. */
const become = 'exec >>"$1" 2>&1; python=$(sh "$2") || exit; shift 2; exec "$python" "$@"';

/** A secret goes by another name from one environment to the next: its value is in no file and no command. */
function take(name: string, from: string): string {
  return name === from ? "" : `export ${name}="$${from}"; `;
}

function request(run: RunSpec): Request {
  const { step, launch } = run;
  const env: Record<string, string> = { PYTHONPATH: join(run.bundle, "trainer"), PYTHONUNBUFFERED: "1" };
  const secrets: string[] = [];
  const taken: string[] = [];
  for (const [name, value] of Object.entries(launch.env)) {
    if (typeof value === "string") env[name] = value;
    else {
      secrets.push(value.secret);
      taken.push(take(name, value.secret));
    }
  }
  env[runMark] = run.directory;
  const flags = {
    bundle: run.bundle,
    program: step.program,
    config: step.config,
    "run-dir": run.directory,
    project: run.project,
    attempt: run.attempt,
    nodes: 1,
    "node-rank": 0,
    procs: step.processes,
  };
  const agent = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const inputs = run.inputs.flatMap((i) => ["--input", `${i.name}=${i.directory}@${i.which}`]);
  const log = join(run.directory, "logs", `a${run.attempt}`, "launch.log");
  const words = [log, join(run.bundle, "trainer", "provision.sh"), "-m", "cdr_trainer.node", ...agent, ...inputs];
  return {
    target: "local",
    files: [],
    command: ["sh", "-c", taken.join("") + become, "sh", ...words],
    cwd: run.project,
    env,
    secrets,
  };
}

async function submit(request: Request): Promise<Handle | Refusal> {
  const [program, ...args] = request.command;
  if (program === undefined) throw new Error("a request without a command");
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: { ...process.env, ...request.env },
    detached: true,
    stdio: "ignore",
  });
  const error = await new Promise<Error | null>((resolve) => {
    child.once("spawn", () => resolve(null));
    child.once("error", resolve);
  });
  if (error !== null) return refusal(`${program} could not be started\n${error.message}`);
  child.unref();
  const pid = child.pid ?? 0;
  return { target: "local", host: hostname(), pid, started: startOf(pid) ?? "gone" };
}

async function poll(handles: readonly Handle[]): Promise<ReadonlyMap<Handle, Observation>> {
  return new Map(handles.map((handle) => [handle, observe(handle)]));
}

function observe(handle: Handle): Observation {
  if (handle.target !== "local") return { state: "lost", reason: "not a run of this target", raw: handle.target };
  if (handle.host !== hostname()) {
    return { state: "running", reason: `on ${handle.host}: only that machine can tell`, raw: "elsewhere" };
  }
  if (startOf(handle.pid) === handle.started) return { state: "running", reason: "", raw: `process ${handle.pid}` };
  const reason = restartedSince(handle.started)
    ? "the machine was restarted while it ran"
    : "its process was killed (SIGKILL, the out-of-memory killer) and left no result";
  return { state: "lost", reason, raw: `no process ${handle.pid}` };
}

async function signal(handle: Handle, what: "save" | "kill", directory: string): Promise<void> {
  const agent = handle.target === "local" && observe(handle).raw.startsWith("process") ? handle.pid : null;
  if (what === "save") {
    mkdirSync(join(directory, "control"), { recursive: true });
    writeFileSync(join(directory, "control", "stop"), "");
    const read = readRecord(directory);
    const wish = read.ok && !isTraining(read.record.step) ? "SIGTERM" : "SIGUSR1";
    // One that is still starting would die of it.
    if (agent !== null && catches(agent, wish)) send(agent, wish);
    return;
  }
  if (agent !== null) {
    // The agent takes the first SIGTERM for a wish to save, as schedulers mean it, and SIGINT for the end.
    send(agent, catches(agent, "SIGINT") ? "SIGINT" : "SIGTERM");
    for (let waited = 0; waited < 10_000 && observe(handle).state === "running"; waited += 100) await sleep(100);
    if (observe(handle).state === "running") for (const pid of familyOf(agent)) send(pid, "SIGKILL");
  }
  if (handle.target === "local" && handle.host === hostname()) endLeftovers(directory);
}

/** Kills what a dead agent left behind on this machine; says how many that were. */
export function endLeftovers(directory: string): number {
  return carrying(runMark, directory).filter((pid) => pid !== process.pid && send(pid, "SIGKILL")).length;
}

/** The handle of an agent whose starter died before it wrote one down. */
export function recoverHandle(directory: string): Handle | null {
  const marked = carrying(runMark, directory);
  const [pid] = marked.sort((a, b) => a - b);
  const started = pid === undefined ? null : startOf(pid);
  return pid === undefined || started === null ? null : { target: "local", host: hostname(), pid, started };
}
