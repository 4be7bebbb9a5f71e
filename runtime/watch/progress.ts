/** What the files of a run say so far, folded line by line. */
import type { RunState } from "../target.ts";
import type { Event, Failure, Metric } from "./lines.ts";

export type Checkpoint = Extract<Event, { kind: "checkpoint" }>;
export type StateChange = Extract<Event, { kind: "state" }>;

export type Rejected = Extract<Event, { kind: "rejected_checkpoint" }>;

export interface Progress {
  readonly attempt: number;
  /** The last state that was written, and when. */
  readonly state: StateChange | null;
  readonly done: { readonly count: number; readonly total: number | null; readonly unit: string } | null;
  /** Logged steps in order; where an attempt repeated steps, those of the later attempt. */
  readonly train: readonly Metric[];
  readonly evals: readonly Metric[];
  readonly checkpoints: readonly Checkpoint[];
  readonly rejected: readonly Rejected[];
  readonly warnings: readonly string[];
  /** Of the current attempt. */
  readonly failure: Failure | null;
  readonly changes: readonly StateChange[];
}

export const nothing: Progress = {
  attempt: 0,
  state: null,
  done: null,
  train: [],
  evals: [],
  checkpoints: [],
  rejected: [],
  warnings: [],
  failure: null,
  changes: [],
};

/** Several lines at once, so that a long history is copied once. */
export function advance(before: Progress, events: readonly Event[], metrics: readonly Metric[]): Progress {
  if (events.length === 0 && metrics.length === 0) return before;
  const after = events.reduce(withEvent, before);
  if (metrics.length === 0) return after;
  const train = [...after.train];
  const evals = [...after.evals];
  for (const row of metrics) place(row.val_loss === undefined ? train : evals, row);
  return { ...after, train, evals };
}

function place(rows: Metric[], row: Metric): void {
  while ((rows.at(-1)?.step ?? -1) >= row.step) rows.pop();
  rows.push(row);
}

function withEvent(progress: Progress, event: Event): Progress {
  const fresh: Progress = event.attempt > progress.attempt ? begin(progress, event.attempt) : progress;
  switch (event.kind) {
    case "state":
      return event.attempt < fresh.attempt
        ? { ...fresh, changes: [...fresh.changes, event] }
        : { ...fresh, state: event, changes: [...fresh.changes, event] };
    case "progress":
      return { ...fresh, done: { count: event.done, total: event.total ?? null, unit: event.unit } };
    case "checkpoint":
      return { ...fresh, checkpoints: [...fresh.checkpoints.filter((c) => c.step < event.step), event] };
    case "rejected_checkpoint":
      return {
        ...fresh,
        rejected: [...fresh.rejected, event],
        checkpoints: fresh.checkpoints.filter((c) => c.path !== event.path),
      };
    case "failure":
      return { ...fresh, failure: event };
    case "warning":
      return { ...fresh, warnings: [...fresh.warnings, event.message] };
  }
}

function begin(progress: Progress, attempt: number): Progress {
  return { ...progress, attempt, state: null, failure: null, done: null };
}

export interface Verdict {
  readonly state: RunState;
  readonly reason: string;
  readonly raw: string;
}

export const ended: ReadonlySet<RunState> = new Set(["done", "failed", "cancelled", "lost"]);
