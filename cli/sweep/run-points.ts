/** Points of a sweep, as many at once as it allows, until all are run or what they may take is spent. */
import type { Sweep, SweepPoint } from "../../compiler/sweeps.ts";
import type { PointRun } from "./run-point.ts";

export interface Course {
  /** In the order of the points; those that were not begun are left out. */
  readonly runs: readonly PointRun[];
  /** Why points were not begun: a bound by its name; `null` where all were, or the user stopped it. */
  readonly spent: "time" | "cost" | null;
}

export async function runPoints(
  { points, parallel, limits }: Pick<Sweep, "points" | "parallel" | "limits">,
  run: (point: SweepPoint, index: number) => Promise<PointRun>,
): Promise<Course> {
  const ended = new Map<number, PointRun>();
  let [begun, stopped] = [0, false];
  let spent: Course["spent"] = null;
  const worker = async (): Promise<void> => {
    for (;;) {
      const [index, point] = [begun, points[begun]];
      if (stopped || spent !== null || point === undefined) return;
      spent = exceeded(limits, [...ended.values()], begun - ended.size);
      if (spent !== null) return;
      begun += 1;
      const result = await run(point, index);
      ended.set(index, result);
      stopped ||= result.exitCode === 130;
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, points.length) }, worker));
  const runs = [...ended].toSorted(([a], [b]) => a - b).map(([, result]) => result);
  return { runs, spent };
}

/** Which bound one more point would pass, if it and those under way take what the others took on average. */
function exceeded(limits: Sweep["limits"], ended: readonly PointRun[], running: number): Course["spent"] {
  const taken = (of: "seconds" | "cost"): number => ended.reduce((sum, run) => sum + (run[of] ?? 0), 0);
  const passes = (most: number | null, of: "seconds" | "cost"): boolean => {
    if (most === null || ended.length === 0) return false;
    const sum = taken(of);
    return sum + (running + 1) * (sum / ended.length) > most;
  };
  return passes(limits.time, "seconds") ? "time" : passes(limits.cost, "cost") ? "cost" : null;
}
