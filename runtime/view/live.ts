/** The picture of a running pipeline: one line for each step, a panel for the one that runs. */
import * as format from "./format.ts";
import { doneOf, left, pace, rejectedOf, type Canvas, type PipelineView, type RunView } from "./model.ts";
import type { Paint } from "./paint.ts";
import { bar, sparkline } from "./sparkline.ts";
import { fit, padEnd, widthOf } from "./width.ts";

const quiet = new Set(["done", "draft", "queued", "failed", "cancelled", "lost"]);

export function renderLive(view: PipelineView, canvas: Canvas, paint: Paint): string[] {
  const names = Math.max(...view.runs.map((run) => widthOf(run.step.name)), 0);
  const lines = [
    "",
    ` ${paint.bold(view.title)}`,
    "",
    ...view.runs.flatMap((run) => [
      headline(run, names, canvas, paint),
      ...(quiet.has(run.verdict.state) ? [] : panel(run, canvas, paint)),
    ]),
    "",
    ` ${view.wish === null ? paint.dim(view.hint) : paint.yellow(view.wish)}`,
  ];
  // The last column stays free: a terminal that wraps there would break the count of lines.
  return lines.map((line) => fit(line.trimEnd(), canvas.columns - 1));
}

/** `✔ corpus   done   1.8 MB in 3 s`. */
export function headline(run: RunView, names: number, canvas: Canvas, paint: Paint): string {
  const name = padEnd(run.step.name, names);
  const { state } = run.verdict;
  const word = padEnd(state === "draft" ? "waits" : state, 9);
  const told = toldOf(run, canvas.now);
  switch (state) {
    case "done":
      return ` ${paint.green("✔")} ${name}  ${paint.green(word)}  ${paint.dim(told)}`;
    case "failed":
    case "lost":
      return ` ${paint.red("✖")} ${paint.bold(name)}  ${paint.red(word)}  ${run.verdict.reason}`;
    case "cancelled":
      return ` ${paint.yellow("■")} ${name}  ${paint.yellow(word)}  ${paint.dim(run.verdict.reason)}`;
    case "draft":
    case "queued":
      return ` ${paint.dim(`○ ${name}  ${word}  ${run.verdict.reason}`)}`;
    default:
      return ` ${paint.cyan("●")} ${paint.bold(name)}  ${paint.cyan(word)}  ${paint.dim(told)}`;
  }
}

function toldOf(run: RunView, now: number): string {
  if (run.before) return `earlier, see ${run.directory}`;
  const finish = run.verdict.state === "done" ? (run.progress.state?.time ?? now) : now;
  const since = format.duration(Math.max(0, finish - run.started));
  const attempt = run.attempt > 0 ? `, ${format.attempt(run.attempt)}` : "";
  if (run.verdict.state !== "done") return since + attempt;
  const { count, unit } = doneOf(run);
  return `${count > 0 ? `${amount(count, unit)} in ` : ""}${since}${attempt}`;
}

function panel(run: RunView, canvas: Canvas, paint: Paint): string[] {
  const width = Math.max(10, Math.min(60, canvas.columns - 44));
  const rows = [
    progressLine(run, width, paint),
    lossLine(run, width, paint),
    speedLine(run),
    memoryLine(run, paint),
    savedLine(run, canvas.now),
    run.note === "" ? null : (["", run.note] as const),
    run.verdict.state === "saving" ? (["", "saving…"] as const) : null,
  ];
  const lines = rows.flatMap((row) => (row === null ? [] : [`   ${paint.dim(padEnd(row[0], 7))} ${row[1]}`]));
  const warnings = [...rejectedOf(run, run.attempt), ...run.progress.warnings.slice(-2)];
  return [...lines, ...warnings.map((text) => `   ${paint.yellow(`! ${text}`)}`)];
}

type Row = readonly [name: string, text: string] | null;

function progressLine(run: RunView, width: number, paint: Paint): Row {
  const { count, total, unit } = doneOf(run);
  if (total === null || total === 0) return count === 0 ? null : ["", amount(count, unit)];
  const fraction = count / total;
  const { full, rest } = bar(fraction, width);
  const seconds = left(run);
  const eta = seconds === null || seconds === 0 ? "" : `  ${format.duration(seconds)} left`;
  const numbers = unit === "bytes" ? `${format.bytes(count)} of ${format.bytes(total)}` : `${count}/${total} ${unit}`;
  return [format.percent(fraction), `${paint.cyan(full)}${paint.dim(rest)} ${numbers}${eta}`];
}

function lossLine(run: RunView, width: number, paint: Paint): Row {
  const values = run.progress.train.flatMap((row) => (typeof row.loss === "number" ? [row.loss] : []));
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return null;
  const val = run.progress.evals.at(-1)?.val_loss;
  const held = typeof val === "number" ? `  val ${format.loss(val)}` : "";
  const change = values.length === 1 ? format.loss(last) : `${format.loss(first)} → ${paint.bold(format.loss(last))}`;
  return ["loss", `${paint.green(sparkline(values, width))} ${change}${held}`.trimStart()];
}

function speedLine(run: RunView): Row {
  const row = run.progress.train.at(-1);
  if (row === undefined) return null;
  const each = pace(run);
  const planned = run.step.estimate?.step_seconds;
  const step = each === null ? "" : `${format.duration(each)} a step`;
  const parts = [
    typeof row.tokens_per_second === "number" ? `${format.count(row.tokens_per_second)} tok/s` : "",
    step !== "" && planned !== undefined ? `${step} (plan ${format.duration(planned)})` : step,
    typeof row.lr === "number" ? `lr ${format.rate(row.lr)}` : "",
    typeof row.grad_norm === "number" ? `grad ${row.grad_norm.toPrecision(3)}` : "",
  ];
  return ["speed", parts.filter((part) => part !== "").join(" · ")];
}

function memoryLine(run: RunView, paint: Paint): Row {
  const used = run.progress.train.at(-1)?.memory;
  if (typeof used !== "number") return null;
  const planned = run.step.estimate?.memory;
  if (planned === undefined) return ["memory", `${format.bytes(used)} a rank`];
  const over = used > planned * 1.1;
  const text = `${format.bytes(used)} a rank, planned ${format.bytes(planned)}`;
  return ["memory", over ? paint.yellow(text) : text];
}

function savedLine(run: RunView, now: number): Row {
  const last = run.progress.checkpoints.at(-1);
  if (last === undefined) return null;
  const size = typeof last.bytes === "number" ? `, ${format.bytes(last.bytes)}` : "";
  const age = Math.max(0, now - last.time);
  return ["saved", `step ${last.step}, ${age < 1 ? "just now" : `${format.duration(Math.floor(age))} ago`}${size}`];
}

function amount(count: number, unit: string): string {
  return unit === "bytes" ? `${format.bytes(count)} read` : format.counted(count, unit);
}
