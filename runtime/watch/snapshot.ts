/** A run as it is now, read from its directory; looking again reads only what is new. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readRecord, type RunRecord } from "../state/record.ts";
import { pollAll } from "../targets.ts";
import type { Handle, Observation } from "../target.ts";
import { eventOf, exitOf, metricOf, type Exit } from "./lines.ts";
import { advance, nothing, type Progress, type Verdict } from "./progress.ts";
import { verdictOf } from "../submit/slurm/conclude.ts";
import { reconcile } from "./reconcile.ts";
import { tailOf } from "./tail.ts";

export interface Snapshot {
  readonly directory: string;
  readonly record: RunRecord;
  /** The newest: a scheduler that restarts a job begins attempts that no `cdrc` has written down. */
  readonly attempt: number;
  readonly progress: Progress;
  readonly exit: Exit | null;
  readonly verdict: Verdict;
}

export interface Watcher {
  readonly directory: string;
  readonly handle: () => Handle | null;
  /** `observation`: what the target said just before; `null` when `run.json` cannot be read. */
  readonly look: (observation: Observation | null) => Snapshot | null;
}

export function watcherOf(directory: string): Watcher {
  const events = tailOf(join(directory, "events.jsonl"));
  const metrics = tailOf(join(directory, "metrics.jsonl"));
  let progress = nothing;
  const look = (observation: Observation | null): Snapshot | null => {
    const read = readRecord(directory);
    if (!read.ok) return null;
    const { record, copyOf } = read;
    progress = advance(progress, values(events.read(), eventOf), values(metrics.read(), metricOf));
    const attempt = Math.max(record.attempt, progress.attempt);
    const exit = readExit(directory, attempt);
    const verdict: Verdict =
      copyOf !== null && exit === null
        ? { state: "lost", reason: `its directory is a copy of ${copyOf}, which was still running`, raw: "a copy" }
        : observation !== null && record.target === "slurm"
          ? verdictOf(observation, exit, progress, attempt)
          : reconcile({ exit, observation, progress, attempt });
    return { directory, record, attempt, progress, exit, verdict };
  };
  const handle = (): Handle | null => {
    const read = readRecord(directory);
    return read.ok ? read.record.handle : null;
  };
  return { directory, handle, look };
}

/** Many runs at once: each target is asked once. Runs that cannot be read are left out. */
export async function snapshotsOf(directories: readonly string[]): Promise<Snapshot[]> {
  const watchers = directories.map((directory) => watcherOf(directory));
  const handles = watchers.map((watcher) => watcher.handle());
  // What has its result already needs no question to a scheduler, unless that may have restarted it.
  const open = watchers.map((watcher, index) => (finished(watcher.directory) ? null : (handles[index] ?? null)));
  const seen = await pollAll(open.filter((handle) => handle !== null));
  return watchers.flatMap((watcher, index) => {
    const handle = open[index] ?? null;
    const snapshot = watcher.look(handle === null ? null : (seen.get(handle) ?? null));
    return snapshot === null ? [] : [snapshot];
  });
}

export async function snapshotOf(directory: string): Promise<Snapshot | null> {
  return (await snapshotsOf([directory]))[0] ?? null;
}

function finished(directory: string): boolean {
  const read = readRecord(directory);
  if (!read.ok) return false;
  const { target, attempt } = read.record;
  if (target === "local") return readExit(directory, attempt) !== null;
  return readExit(directory, Math.max(attempt, newestResult(directory)))?.state === "done";
}

/** The newest attempt that left a result; a scheduler's restarts begin attempts that no record names. */
function newestResult(directory: string): number {
  try {
    return Math.max(
      -1,
      ...readdirSync(join(directory, "exit")).map((name) => Number(/^a(\d+)\.json$/.exec(name)?.[1] ?? -1)),
    );
  } catch {
    return -1;
  }
}

function readExit(directory: string, attempt: number): Exit | null {
  try {
    return exitOf(readFileSync(join(directory, "exit", `a${attempt}.json`), "utf8"));
  } catch {
    return null;
  }
}

function values<T>(lines: readonly string[], parse: (line: string) => T | null): T[] {
  return lines.map(parse).filter((value) => value !== null);
}
