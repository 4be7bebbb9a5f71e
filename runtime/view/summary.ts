/** The last words of a run that went well: where things are and what became of the loss. */
import * as format from "./format.ts";
import { rejectedOf, type RunView } from "./model.ts";
import type { Paint } from "./paint.ts";
import { printable } from "./printable.ts";
import { padEnd } from "./width.ts";

export interface SummaryFacts {
  readonly runs: readonly RunView[];
  /** Text that the pipeline's samples produced, by step. */
  readonly samples: readonly { readonly step: string; readonly text: string }[];
  /** As a user would type it. */
  readonly report: string | null;
}

export function renderSummary({ runs, samples, report }: SummaryFacts, paint: Paint): string[] {
  const rows = runs.flatMap((run) => {
    if (run.step.kind !== "stage") return [];
    const saved = run.progress.checkpoints.at(-1);
    return [
      [run.step.name, lossOf(run)] as const,
      ...(saved === undefined ? [] : [["checkpoint", `${run.directory}/${saved.path}`] as const]),
    ];
  });
  for (const run of runs) {
    if (!run.before) rows.push(...rejectedOf(run, run.attempt).map((words) => ["note", words] as const));
  }
  if (report !== null) rows.push(["report", report]);
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  const lines = rows
    .filter(([, text]) => text !== "")
    .map(([label, text]) => ` ${paint.dim(padEnd(label, width))}  ${text}`);
  const texts = samples.flatMap(({ step, text }) => ["", ` ${paint.dim(step)}`, ...indent(printable(text))]);
  return [...lines, ...texts, ...(lines.length + texts.length > 0 ? [""] : [])];
}

function lossOf(run: RunView): string {
  const values = run.progress.train.flatMap((row) => (typeof row.loss === "number" ? [row.loss] : []));
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return "";
  const val = run.progress.evals.at(-1)?.val_loss;
  const held = typeof val === "number" ? `, val ${format.loss(val)}` : "";
  return `loss ${format.loss(first)} → ${format.loss(last)}${held}`;
}

function indent(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `   ${line}`);
}
