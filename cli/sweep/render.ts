/** What `cdrc sweep` shows of points and of runs. */
import type { Sweep, SweepPoint } from "../../compiler/sweeps.ts";
import { shown } from "../../runtime/run/document.ts";
import { duration } from "../../runtime/view/format.ts";
import type { PointRun } from "./run-point.ts";
import type { Course } from "./run-points.ts";

export const pointWords = ({ at }: SweepPoint): string =>
  Object.entries(at)
    .map(([path, value]) => `${path} = ${value}`)
    .join(", ");

/** Each point, and what would run it alone. */
export function renderList(sweep: Sweep): string {
  const { name, stage, points, best, parallel, limits } = sweep;
  const words = [
    `${name}: ${stage} at ${points.length} points`,
    ...(parallel === 1 ? [] : [`${parallel} at once`]),
    ...(limits.time === null ? [] : [`in at most ${duration(limits.time)}`]),
    ...(limits.cost === null ? [] : [`for at most ${limits.cost} usd`]),
    ...(best === null ? [] : [`best by ${best.text}`]),
  ];
  return `${[words.join(", "), ...points.map((point, index) => `  ${index + 1}  ${pointWords(point)}`)].join("\n")}\n`;
}

export function renderRanked(sweep: Sweep, course: Course, best: PointRun | null): string {
  const rows = course.runs.map((run) => {
    const reading =
      run.reading === null ? "" : `  ${sweep.best?.text ?? ""} ${String(Number(run.reading.toPrecision(6)))}`;
    return `  ${run === best ? "*" : " "} ${run.id ?? "-"}  ${run.state}  ${pointWords(run.point)}${reading}`;
  });
  const winner =
    best?.directory == null
      ? []
      : [`best by ${sweep.best?.text ?? ""}: ${pointWords(best.point)}  ${shown(best.directory)}`];
  return `${[sweep.name, ...rows, ...notBegun(sweep, course), ...winner].join("\n")}\n`;
}

/** What was left out, and why. */
function notBegun({ points, limits }: Sweep, { runs, spent }: Course): readonly string[] {
  const open = points.filter((point) => runs.every((run) => run.point !== point));
  if (open.length === 0) return [];
  const count = `${open.length} of ${points.length} points not started`;
  if (spent === null) return [`  ${count}; the same command continues`];
  const sum = (of: "seconds" | "cost"): number => runs.reduce((total, run) => total + (run[of] ?? 0), 0);
  const why =
    spent === "time"
      ? `the runs took ${duration(sum("seconds"))}, of at most ${duration(limits.time ?? 0)}`
      : `the runs cost ${sum("cost").toFixed(2)}, of at most ${limits.cost ?? 0} usd`;
  return [`  ${count}: ${why}; one more would exceed it`, ...open.map((point) => `    ${pointWords(point)}`)];
}
