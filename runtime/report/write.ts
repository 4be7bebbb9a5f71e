/** Writes `report.html` and `loss.svg` of a run. */
import { dirname, join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import type { Metric } from "../watch/lines.ts";
import { drawChart, standalone, type Series } from "./chart.ts";
import { reportFacts } from "./facts.ts";
import { renderPage, type Drawing } from "./page.ts";
import { chartCss } from "./style.ts";
import { makeFolder } from "../../compiler/make-folder.ts";

/** The page's path; `null` when the directory holds no run. `page`: where to write it, beside the run's files by default. */
export async function writeReport(directory: string, page = join(directory, "report.html")): Promise<string | null> {
  const facts = await reportFacts(directory);
  if (facts === null) return null;
  const { train, evals } = facts.snapshot.progress;
  const drawings: Drawing[] = [];
  const draw = async (title: string, y: string, height: number, series: readonly Series[]): Promise<void> => {
    const shown = series.filter(({ points }) => points.length > 1 || (points.length === 1 && series.length > 1));
    if (shown.length === 0) return;
    drawings.push({ title, svg: await drawChart({ title, x: "step", y, series: shown, height }) });
  };
  await draw("Loss", "loss", 300, [
    { name: "train", points: points(train, (row) => row.loss) },
    { name: "validation", points: points(evals, (row) => row.val_loss) },
  ]);
  await draw("Learning rate", "learning rate", 110, [{ name: "lr", points: points(train, (row) => row.lr) }]);
  await draw("Speed", "tokens per second", 110, [
    { name: "speed", points: points(train, (row) => row.tokens_per_second) },
  ]);
  const [curve] = drawings;
  if (curve?.title === "Loss") await writeFileAtomic(join(directory, "loss.svg"), standalone(curve.svg, chartCss));
  makeFolder(dirname(page));
  await writeFileAtomic(page, renderPage(facts, drawings));
  return page;
}

function points(rows: readonly Metric[], valueOf: (row: Metric) => number | null | undefined): Series["points"] {
  return rows.flatMap((row) => {
    const y = valueOf(row);
    return typeof y === "number" ? [{ x: row.step, y }] : [];
  });
}
