/** The same news as lines, for pipes, logs and screen readers: what changed since the last look, never too often. */
import * as format from "./format.ts";
import { doneOf, left, type RunView } from "./model.ts";

export interface Told {
  readonly state: string;
  readonly attempt: number;
  readonly step: number;
  readonly checkpoint: number;
  readonly warnings: number;
  readonly note: string;
  /** When progress was last told, in seconds. */
  readonly time: number;
}

export const untold: Told = {
  state: "draft",
  attempt: -1,
  step: 0,
  checkpoint: 0,
  warnings: 0,
  note: "",
  time: 0,
};

/** Seconds between two lines of progress. */
const interval = 5;

export function tellPlain(run: RunView, told: Told, now: number): { lines: string[]; told: Told } {
  const lines: string[] = [];
  if (run.before) return { lines, told };
  const say = (text: string): void => void lines.push(`${run.step.name}: ${text}`);
  const { progress, verdict } = run;
  const { count, total, unit } = doneOf(run);
  const isNew = run.attempt !== told.attempt || verdict.state !== told.state;
  const next = {
    state: verdict.state,
    attempt: run.attempt,
    step: count,
    checkpoint: told.checkpoint,
    warnings: progress.warnings.length,
    note: run.note,
    time: told.time,
  };
  if (isNew && !["draft", "done", "failed", "lost", "cancelled"].includes(verdict.state)) {
    const attempt = run.attempt > 0 ? ` (attempt ${run.attempt})` : "";
    say(`${verdict.state}${attempt}${verdict.reason === "" ? "" : `, ${verdict.reason}`}`);
  }
  if (run.note !== told.note && run.note !== "") say(run.note);
  for (const warning of progress.warnings.slice(told.warnings)) say(`warning: ${warning}`);
  const saved = progress.checkpoints.at(-1);
  if (count !== told.step && (now - told.time >= interval || count === total)) {
    next.time = now;
    const of = total === null ? "" : unit === "bytes" ? ` of ${format.bytes(total)}` : `/${total}`;
    const done = unit === "bytes" ? format.bytes(count) : String(count);
    const news = saved !== undefined && saved.step !== told.checkpoint ? [`saved ${saved.path}`] : [];
    say([`${unit} ${done}${of}`, ...figures(run), ...news].join("  "));
    next.checkpoint = saved?.step ?? 0;
  } else next.step = told.step;
  return { lines, told: next };
}

function figures(run: RunView): string[] {
  const row = run.progress.train.at(-1);
  if (row === undefined) return [];
  const seconds = left(run);
  const val = run.progress.evals.at(-1)?.val_loss;
  return [
    typeof row.loss === "number" ? `loss ${format.loss(row.loss)}` : "",
    typeof val === "number" ? `val ${format.loss(val)}` : "",
    typeof row.lr === "number" ? `lr ${format.rate(row.lr)}` : "",
    typeof row.tokens_per_second === "number" ? `${format.count(row.tokens_per_second)} tok/s` : "",
    typeof row.memory === "number" ? format.bytes(row.memory) : "",
    seconds === null || seconds === 0 ? "" : `${format.duration(seconds)} left`,
  ].filter((text) => text !== "");
}
