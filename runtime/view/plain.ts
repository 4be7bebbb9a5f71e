/** The same news as lines, for pipes, logs and screen readers: what changed since the last look, never too often. */
import { ended } from "../watch/progress.ts";
import * as format from "./format.ts";
import { doneOf, left, ofAttempt, rejectedOf, type RunView } from "./model.ts";

export interface Told {
  readonly state: string;
  readonly attempt: number;
  readonly step: number;
  /** Steps of the newest evaluation and checkpoint that were told. */
  readonly val: number;
  readonly checkpoint: number;
  readonly rejected: number;
  readonly warnings: number;
  readonly note: string;
  /** When progress was last told, in seconds. */
  readonly time: number;
}

export const untold: Told = {
  state: "draft",
  attempt: -1,
  step: 0,
  val: 0,
  checkpoint: 0,
  rejected: 0,
  warnings: 0,
  note: "",
  time: 0,
};

/** Seconds between two lines of progress. */
const interval = 5;

export function tellPlain(run: RunView, before: Told, now: number): { lines: string[]; told: Told } {
  const lines: string[] = [];
  if (run.before) return { lines, told: before };
  const say = (text: string): void => void lines.push(`${run.step.name}: ${text}`);
  const { progress, verdict, attempt } = run;
  const isNew = attempt !== before.attempt;
  // An attempt that goes on from a checkpoint counts from there, and what an earlier one told is no news.
  const told = isNew && attempt > 0 ? { ...before, rejected: 0, step: 0, val: 0, checkpoint: 0 } : before;
  if ((isNew || verdict.state !== told.state) && verdict.state !== "draft" && !ended.has(verdict.state)) {
    const nth = attempt > 0 ? ` (${format.attempt(attempt)})` : "";
    say(`${verdict.state}${nth}${verdict.reason === "" ? "" : `, ${verdict.reason}`}`);
  }
  if (run.note !== told.note && run.note !== "") say(run.note);
  const rejected = rejectedOf(run, attempt);
  for (const words of rejected.slice(told.rejected)) say(`warning: ${words}`);
  for (const warning of progress.warnings.slice(told.warnings)) say(`warning: ${warning}`);
  const news = newsOf(run, told);
  const due = now - told.time >= interval || news.count === news.total || ended.has(verdict.state);
  const isTold = due && news.isNew;
  if (isTold) say([news.done, ...news.parts].join("  "));
  const { state } = verdict;
  const rest = { state, attempt, rejected: rejected.length, warnings: progress.warnings.length, note: run.note };
  return { lines, told: { ...told, ...rest, ...(isTold ? { ...news.told, time: now } : {}) } };
}

interface News {
  readonly isNew: boolean;
  readonly count: number;
  readonly total: number | null;
  readonly done: string;
  readonly parts: readonly string[];
  readonly told: Pick<Told, "step" | "val" | "checkpoint">;
}

/** What this attempt did since the last line. A training counts by its records, so that a loss is never of another step. */
function newsOf(run: RunView, told: Told): News {
  const { total, unit, count: counted } = doneOf(run);
  const row = ofAttempt(run).at(-1);
  const count = run.step.kind === "stage" ? (row?.step ?? 0) : counted;
  const evaluated = run.progress.evals.findLast(({ attempt }) => attempt === run.attempt);
  const saved = run.progress.checkpoints.findLast(({ attempt }) => attempt === run.attempt);
  const parts = count === told.step ? [] : figures(run);
  if (evaluated !== undefined && evaluated.step !== told.val)
    parts.push(`val ${format.loss(evaluated.val_loss ?? NaN)}`);
  if (saved !== undefined && saved.step !== told.checkpoint) parts.push(`saved ${saved.path}`);
  const of = total === null ? "" : unit === "bytes" ? ` of ${format.bytes(total)}` : `/${total}`;
  const done = unit === "bytes" ? `read ${format.bytes(count)}${of}` : `${unit} ${count}${of}`;
  const now = { step: count, val: evaluated?.step ?? told.val, checkpoint: saved?.step ?? told.checkpoint };
  return { isNew: count !== told.step || parts.length > 0, count, total, done, parts, told: now };
}

function figures(run: RunView): string[] {
  const row = ofAttempt(run).at(-1);
  const seconds = left(run);
  return [
    typeof row?.loss === "number" ? `loss ${format.loss(row.loss)}` : "",
    typeof row?.lr === "number" ? `lr ${format.rate(row.lr)}` : "",
    typeof row?.tokens_per_second === "number" ? `${format.count(row.tokens_per_second)} tok/s` : "",
    typeof row?.memory === "number" ? format.bytes(row.memory) : "",
    seconds === null || seconds === 0 ? "" : `${format.duration(seconds)} left`,
  ].filter((text) => text !== "");
}
