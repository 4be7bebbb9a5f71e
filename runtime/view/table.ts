/** Runs as a table. */
import * as format from "./format.ts";
import { doneOf, type Canvas, type RunView } from "./model.ts";
import type { Paint } from "./paint.ts";
import { fit, padEnd, widthOf } from "./width.ts";

const head = ["STEP", "ID", "STATE", "DONE", "LOSS", "SPEED", "STARTED", "DIRECTORY"];

export function renderRuns(runs: readonly RunView[], canvas: Canvas, paint: Paint): string[] {
  const rows = [head, ...runs.map((run) => cellsOf(run, canvas.now))];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
  return rows.map((row, index) => {
    const run = runs[index - 1];
    const cells = row.map((cell, column) => {
      const padded = column === row.length - 1 ? cell : padEnd(cell, widths[column] ?? 0);
      if (run === undefined) return paint.dim(padded);
      return column === 2 ? colourOf(run, paint)(padded) : padded;
    });
    return fit(cells.join("  "), canvas.columns);
  });
}

function cellsOf(run: RunView, now: number): string[] {
  const { count, total, unit } = doneOf(run);
  const row = run.progress.train.at(-1);
  const amount = (value: number): string => (unit === "bytes" ? format.bytes(value) : String(value));
  return [
    run.step.name,
    run.id,
    run.verdict.state,
    total === null ? amount(count) : `${amount(count)}/${amount(total)}`,
    typeof row?.loss === "number" ? format.loss(row.loss) : "",
    typeof row?.tokens_per_second === "number" ? `${format.count(row.tokens_per_second)} tok/s` : "",
    `${format.duration(Math.max(0, now - run.started))} ago`,
    run.directory,
  ];
}

function colourOf(run: RunView, paint: Paint): (text: string) => string {
  switch (run.verdict.state) {
    case "done":
      return paint.green;
    case "failed":
    case "lost":
      return paint.red;
    case "cancelled":
      return paint.yellow;
    case "draft":
      return paint.dim;
    default:
      return paint.cyan;
  }
}
