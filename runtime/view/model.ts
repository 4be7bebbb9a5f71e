/** What is shown of a pipeline that runs: everything a picture needs, and nothing that changes by itself. */
import type { StepRun } from "../../compiler/bundle/steps.ts";
import type { Metric } from "../watch/lines.ts";
import { nothing, type Progress, type Rejected, type Verdict } from "../watch/progress.ts";
import type { Snapshot } from "../watch/snapshot.ts";

export interface RunView {
  readonly step: StepRun;
  readonly id: string;
  /** As a user would type it. */
  readonly directory: string;
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly progress: Progress;
  /** Done by an earlier `cdrc run`: nothing was started. */
  readonly before: boolean;
  /** Seconds since 1970. */
  readonly started: number;
  /** The newest words of whatever prepares it. */
  readonly note: string;
}

export interface PipelineView {
  readonly title: string;
  readonly runs: readonly RunView[];
  /** What is being done about a wish of the user: `saving…`. */
  readonly wish: string | null;
  /** What ctrl-c would do. */
  readonly hint: string;
}

export interface Canvas {
  readonly columns: number;
  readonly now: number;
}

export function waiting(step: StepRun, id: string, directory: string): RunView {
  const verdict = { state: "draft", reason: "", raw: "" } as const;
  return { step, id, directory, attempt: 0, verdict, progress: nothing, before: false, started: 0, note: "" };
}

export function seen(view: RunView, snapshot: Snapshot): RunView {
  const { record, attempt, verdict, progress } = snapshot;
  return { ...view, attempt, verdict, progress, started: record.started };
}

/** How far it is: of a training by its steps, of anything else by its own count. An attempt starts where it resumes. */
export function doneOf(view: RunView): { count: number; total: number | null; unit: string } {
  const { progress, step } = view;
  const counted = progress.done;
  const resumed = progress.checkpoints.at(-1)?.step ?? 0;
  const last = step.kind === "stage" ? (ofAttempt(view).at(-1)?.step ?? resumed) : 0;
  if (counted === null || (counted.unit === "steps" && last > counted.count)) {
    return { count: last, total: step.total, unit: step.unit };
  }
  return { count: counted.count, total: counted.total ?? step.total, unit: counted.unit };
}

/** Logged steps of the attempt that runs now. */
export function ofAttempt(view: RunView): readonly Metric[] {
  return view.progress.train.filter((row) => row.attempt === view.attempt);
}

/** Checkpoints that this attempt could not use, each in a sentence. */
export function rejectedOf({ progress }: RunView | Snapshot, attempt: number): string[] {
  return progress.rejected.filter((one) => one.attempt === attempt).map(rejection);
}

export function rejection({ path, reason, used }: Rejected): string {
  const instead = typeof used === "string" ? `; ${used} is used` : used === null ? "; it starts over" : "";
  return `${path} is not used: ${reason}${instead}`;
}

/** Seconds per step over the newest stretch of this attempt; `null` before there are two logged steps. */
export function pace(view: RunView): number | null {
  const rows = ofAttempt(view).filter((row) => typeof row.seconds === "number");
  const last = rows.at(-1);
  const first = rows.at(Math.max(0, rows.length - 20));
  if (last === undefined || first === undefined || last.step === first.step) return null;
  return ((last.seconds ?? 0) - (first.seconds ?? 0)) / (last.step - first.step);
}

/** Seconds left; `null` where nothing can be said yet. */
export function left(view: RunView): number | null {
  const { count, total } = doneOf(view);
  const each = pace(view);
  return total === null || each === null ? null : Math.max(0, total - count) * each;
}
