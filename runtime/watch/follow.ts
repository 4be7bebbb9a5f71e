/** Looks at a run whenever its files change, until it has ended. */
import { watch } from "node:fs";
import type { Observation } from "../target.ts";
import { pollAll } from "../targets.ts";
import { ended } from "./progress.ts";
import { watcherOf, type Snapshot } from "./snapshot.ts";

export interface FollowOptions {
  readonly onLook: (snapshot: Snapshot) => void;
  /** Ends the following, not the run. */
  readonly signal?: AbortSignal;
}

/** Milliseconds between looks when no file told of a change: shared file systems tell nothing. */
const idle = 500;
const questions = { local: 500, slurm: 8_000 } as const;
/** A process that is gone without a result is given so many more looks: its last file may be on its way. */
const patience = 3;

/** The last snapshot; `null` when the run cannot be read. */
export async function follow(directory: string, { onLook, signal }: FollowOptions): Promise<Snapshot | null> {
  const watcher = watcherOf(directory);
  const bell = bellOf(directory, signal);
  let observation: Observation | null = null;
  let asked = 0;
  let missing = 0;
  let last: Snapshot | null = null;
  try {
    for (;;) {
      const handle = watcher.handle();
      if (handle === null) observation = null;
      else if (Date.now() - asked >= questions[handle.target]) {
        observation = (await pollAll([handle])).get(handle) ?? null;
        asked = Date.now();
      }
      const snapshot = watcher.look(observation);
      if (snapshot === null) return last;
      // A result that has just appeared is judged by what the target says now, not by what it said before.
      if (snapshot.exit !== null && last?.exit === null && handle !== null) {
        asked = 0;
        last = snapshot;
        continue;
      }
      last = snapshot;
      const gone = ended.has(snapshot.verdict.state);
      missing = gone && snapshot.exit === null ? missing + 1 : 0;
      if (gone && (snapshot.exit !== null || missing >= patience)) return snapshot;
      onLook(snapshot);
      if (signal?.aborted === true) return snapshot;
      await bell.next(idle);
    }
  } finally {
    bell.close();
  }
}

/** Rings when a file of the directory changed, at most every 100 ms, or when the time is over. */
function bellOf(directory: string, signal: AbortSignal | undefined) {
  let ring = silent;
  let rung = false;
  const wake = (): void => {
    rung = true;
    ring();
  };
  const watching = quietWatch(directory, wake);
  signal?.addEventListener("abort", wake);
  const next = async (most: number): Promise<void> => {
    await pause(100);
    if (!rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, most);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    rung = false;
    ring = silent;
  };
  const close = (): void => {
    watching?.close();
    signal?.removeEventListener("abort", wake);
  };
  return { next, close };
}

function silent(): void {}

function quietWatch(directory: string, onChange: () => void) {
  try {
    const watching = watch(directory, { persistent: false }, onChange);
    watching.on("error", () => watching.close());
    return watching;
  } catch {
    return null;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
