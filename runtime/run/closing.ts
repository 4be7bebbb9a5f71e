/** The last words of `cdrc run`: what was made and where, or what went wrong and what to do about it. */
import { resolve } from "node:path";
import { lastWords } from "../logs/words.ts";
import { renderFailure } from "../view/failure.ts";
import { rejectedOf, type PipelineView } from "../view/model.ts";
import { renderSummary } from "../view/summary.ts";
import type { Snapshot } from "../watch/snapshot.ts";
import { shown } from "./document.ts";
import type { Wish } from "./interrupts.ts";
import { nameOf } from "./named.ts";
import { renderRefusal } from "./refusal-block.ts";
import type { Refusal } from "./refusal.ts";
import type { ResolvedRun } from "./resolve.ts";
import { samplesOf } from "./samples.ts";
import type { Screen } from "./screen.ts";
import { typed } from "./typed.ts";

export type Ending =
  | { readonly kind: "done" }
  | { readonly kind: "left" }
  | { readonly kind: "ended"; readonly snapshot: Snapshot | null }
  | Refusal;

export interface Closing {
  readonly ending: Ending;
  readonly view: PipelineView;
  readonly runs: readonly ResolvedRun[];
  readonly screen: Screen;
  readonly reports: ReadonlyMap<string, string>;
  readonly wish: Wish | null;
  /** Whether the run that failed stays. */
  readonly kept: boolean;
}

export function renderClosing({ ending, view, runs, screen, reports, wish, kept }: Closing): string[] {
  if (ending.kind === "refusal") return renderRefusal(ending, screen.paint);
  if (ending.kind === "done") {
    const samples = runs.flatMap(({ spec }) =>
      spec.step.kind === "sample" ? samplesOf(spec.directory).map((text) => ({ step: spec.step.name, text })) : [],
    );
    const report = [...reports.values()].at(-1);
    return renderSummary(
      { runs: view.runs, samples, report: report === undefined ? null : shown(report) },
      screen.paint,
    );
  }
  if (ending.kind === "left") return [` the run continues; ${typed(`attach ${running(view)}`)} shows it again`, ""];
  const { snapshot } = ending;
  if (snapshot === null) return [` stopped before the next step began; the same command continues from here`, ""];
  if (snapshot.verdict.state === "cancelled") return stopped(snapshot, wish, screen);
  const { directory, attempt } = snapshot;
  const { id, step } = snapshot.record;
  const facts = {
    snapshot,
    directory: kept ? shown(directory) : null,
    name: nameOf({ step: step.name, id, directory }),
    typed,
    words: lastWords(directory, attempt),
  };
  return renderFailure(facts, Math.min(screen.columns(), 120), screen.paint);
}

/** The name of the run that was being watched. */
function running({ runs }: PipelineView): string {
  const run = runs.find(({ verdict }) => verdict.state !== "done") ?? runs.at(-1);
  return run === undefined ? "" : nameOf({ step: run.step.name, id: run.id, directory: resolve(run.directory) });
}

function stopped(snapshot: Snapshot, wish: Wish | null, screen: Screen): string[] {
  const { record, progress, verdict, directory, attempt } = snapshot;
  const saved = progress.checkpoints.at(-1);
  const where = saved === undefined ? "nothing was saved" : `saved at step ${saved.step}`;
  const who = wish === null ? ` (${verdict.reason})` : "";
  return [
    ` ${screen.paint.yellow("■")} ${record.step.name} stopped${who}, ${where}`,
    ...rejectedOf(snapshot, attempt).map((words) => `   ${screen.paint.dim("note")}  ${words}`),
    `   ${screen.paint.dim("next")}  ${typed(`resume ${nameOf({ step: record.step.name, id: record.id, directory })}`)}, or the same command again`,
    "",
  ];
}
