/** What `--json` prints of runs: facts under stable names, paths absolute. */
import { join } from "node:path";
import { doneOf, type RunView } from "../view/model.ts";

export interface RunFacts {
  readonly step: string;
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  readonly reason: string;
  readonly raw: string;
  readonly directory: string;
  readonly attempt: number;
  /** Finished before this command: nothing was started. */
  readonly before: boolean;
  readonly progress: { readonly done: number; readonly total: number | null; readonly unit: string };
  readonly checkpoint: string | null;
  readonly loss: { readonly first: number | null; readonly last: number | null; readonly val: number | null };
  readonly tokens_per_second: number | null;
  readonly memory: number | null;
  readonly failure: RunView["progress"]["failure"];
  readonly report: string | null;
}

export function factsOf(view: RunView, directory: string, report: string | null): RunFacts {
  const { progress, step, verdict } = view;
  const losses = progress.train.flatMap((row) => (typeof row.loss === "number" ? [row.loss] : []));
  const saved = progress.checkpoints.at(-1);
  const last = progress.train.at(-1);
  const { count, total, unit } = doneOf(view);
  return {
    step: step.name,
    kind: step.kind,
    id: view.id,
    state: verdict.state,
    reason: verdict.reason,
    raw: verdict.raw,
    directory,
    attempt: view.attempt,
    before: view.before,
    progress: { done: count, total, unit },
    checkpoint: saved === undefined ? null : join(directory, saved.path),
    loss: { first: losses[0] ?? null, last: losses.at(-1) ?? null, val: progress.evals.at(-1)?.val_loss ?? null },
    tokens_per_second: last?.tokens_per_second ?? null,
    memory: last?.memory ?? null,
    failure: progress.failure,
    report,
  };
}

/** A path as a user in `cwd` would type it. */
export function shown(path: string, cwd: string = process.cwd()): string {
  const prefix = `${cwd}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
