/** The report as a page that needs nothing else. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as format from "../view/format.ts";
import { rejection } from "../view/model.ts";
import type { Metric } from "../watch/lines.ts";
import { escaped } from "../../compiler/escaped.ts";
import { templateOf } from "../../compiler/templates.ts";
import type { ReportFacts } from "./facts.ts";
import type { Term } from "./terms.ts";
import { pageCss } from "./style.ts";

export interface Drawing {
  readonly title: string;
  readonly svg: string;
}

export function renderPage(
  { snapshot, settings, samples, terms }: ReportFacts,
  drawings: readonly Drawing[],
): string {
  const { record, attempt, progress, verdict } = snapshot;
  return templateOf("report/run.html.hbs")({
    css: pageCss,
    title: escaped(`${record.step.name} ${record.id}`),
    step: escaped(record.step.name),
    subtitle: escaped(
      `${record.file}, ${record.step.kind} ${record.id}, ${verdict.state}${attempt > 0 ? ` after ${attempt + 1} attempts` : ""}`,
    ),
    figures: figuresOf(progress.train, progress.evals).map(([label, value]) => ({ label, value: escaped(value) })),
    drawings,
    measured: terms.map(rowOf).map(({ whole, cells }) => ({ whole, cells: cells.map(escaped) })),
    samples: samples.map(escaped),
    checkpoints: progress.checkpoints.map((saved) =>
      [
        String(saved.step),
        saved.path,
        typeof saved.bytes === "number" ? format.bytes(saved.bytes) : "",
        typeof saved.seconds === "number" ? format.duration(saved.seconds) : "",
        existsSync(join(snapshot.directory, saved.path)) ? "" : "removed since",
      ].map(escaped),
    ),
    settings: settings.map(({ path, value, origin }) => [path, value, origin].map(escaped)),
    warnings: [...progress.rejected.map(rejection), ...progress.warnings].map(escaped),
    changes: progress.changes.map((change) =>
      [
        new Date(change.time * 1000).toISOString().slice(0, 19).replace("T", " "),
        String(change.attempt),
        change.state,
        change.reason,
      ].map(escaped),
    ),
  });
}

function figuresOf(train: readonly Metric[], evals: readonly Metric[]): (readonly [string, string])[] {
  const losses = train.flatMap((row) => (typeof row.loss === "number" ? [row.loss] : []));
  const [first] = losses;
  const last = losses.at(-1);
  const end = train.at(-1);
  const val = evals.at(-1)?.val_loss;
  const speed = median(train.flatMap((row) => row.tokens_per_second ?? []));
  const figures: (readonly [string, string])[] = [];
  if (first !== undefined && last !== undefined)
    figures.push(["loss", `${format.loss(first)} → ${format.loss(last)}`]);
  if (typeof val === "number") figures.push(["validation loss", format.loss(val)]);
  if (end !== undefined) figures.push(["steps", format.count(end.step)]);
  if (typeof end?.tokens === "number") figures.push(["tokens", format.count(end.tokens)]);
  if (speed !== null) figures.push(["tokens per second", format.count(speed)]);
  return figures;
}

/** Rows of what was planned beside what was measured; a whole says how far off it may be. */
function rowOf({ name, kind, unit, planned, measured, error }: Term): { whole: boolean; cells: string[] } {
  const say = unit === "bytes" ? format.bytes : format.seconds;
  const within = error === null ? "" : ` ± ${Math.round(100 * error)} %`;
  return {
    whole: kind === "whole",
    cells: [name, `${say(planned)}${within}`, say(measured), off(measured, planned)],
  };
}

function off(measured: number, planned: number): string {
  if (planned === 0) return "";
  const share = Math.round((measured / planned - 1) * 100);
  return `${share > 0 ? "+" : ""}${share} %`;
}

function median(values: readonly number[]): number | null {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}
