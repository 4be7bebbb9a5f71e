/** The last words of `cdrc run`: what was made and where, or what went wrong and what to do about it. */
import { lastWords } from "../logs/words.ts";
import { renderFailure } from "../view/failure.ts";
import type { PipelineView } from "../view/model.ts";
import { renderSummary } from "../view/summary.ts";
import type { Snapshot } from "../watch/snapshot.ts";
import { shown } from "./document.ts";
import type { Wish } from "./interrupts.ts";
import { renderRefusal } from "./refusal-block.ts";
import type { Refusal } from "./refusal.ts";
import type { ResolvedRun } from "./resolve.ts";
import { samplesOf } from "./samples.ts";
import type { Screen } from "./screen.ts";

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
}

export function renderClosing({ ending, view, runs, screen, reports, wish }: Closing): string[] {
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
  if (ending.kind === "left") return [" the run goes on; cdrc attach shows it again", ""];
  const { snapshot } = ending;
  if (snapshot === null) return [" stopped before the next step began; cdrc run goes on from here", ""];
  if (snapshot.verdict.state === "cancelled") return stopped(snapshot, wish, screen);
  const { directory, attempt } = snapshot;
  const facts = { snapshot, directory: shown(directory), words: lastWords(directory, attempt) };
  return renderFailure(facts, Math.min(screen.columns(), 120), screen.paint);
}

function stopped({ record, progress, verdict }: Snapshot, wish: Wish | null, screen: Screen): string[] {
  const saved = progress.checkpoints.at(-1);
  const where = saved === undefined ? "nothing was saved" : `saved at step ${saved.step}`;
  const who = wish === null ? ` (${verdict.reason})` : "";
  return [
    ` ${screen.paint.yellow("■")} ${record.step.name} stopped${who}, ${where}`,
    `   ${screen.paint.dim("next")}  cdrc resume ${record.step.name}, or the same cdrc run again`,
    "",
  ];
}
