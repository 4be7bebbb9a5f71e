/** What `cdrc sweep` shows of points and of runs. */
import type { Sweep, SweepPoint } from "../../compiler/sweeps.ts";
import { shown } from "../../runtime/run/document.ts";
import type { PointRun } from "./run-point.ts";

export const pointWords = ({ at }: SweepPoint): string =>
  Object.entries(at)
    .map(([path, value]) => `${path} = ${value}`)
    .join(", ");

/** Each point, and what would run it alone. */
export function renderList(sweep: Sweep): string {
  const { name, stage, points, best } = sweep;
  const head = `${name}: ${stage} at ${points.length} points${best === null ? "" : `, best by ${best.text}`}`;
  return `${[head, ...points.map((point, index) => `  ${index + 1}  ${pointWords(point)}`)].join("\n")}\n`;
}

export function renderRanked(sweep: Sweep, runs: readonly PointRun[], best: PointRun | null): string {
  const rows = runs.map((run) => {
    const reading =
      run.reading === null ? "" : `  ${sweep.best?.text ?? ""} ${String(Number(run.reading.toPrecision(6)))}`;
    return `  ${run === best ? "*" : " "} ${run.id ?? "-"}  ${run.state}  ${pointWords(run.point)}${reading}`;
  });
  const open = sweep.points.length - runs.length;
  const left = open === 0 ? [] : [`  ${open} of ${sweep.points.length} points not begun; the same command goes on`];
  const winner =
    best?.directory == null
      ? []
      : [`best by ${sweep.best?.text ?? ""}: ${pointWords(best.point)}  ${shown(best.directory)}`];
  return `${[sweep.name, ...rows, ...left, ...winner].join("\n")}\n`;
}
