import type { Sweep } from "../../compiler/sweeps.ts";
import type { PointRun } from "./run-point.ts";
import type { Course } from "./run-points.ts";

/** The run that wins; `null` where nothing ranks them, or none of them was measured. */
export function rank({ best }: Sweep, runs: readonly PointRun[]): PointRun | null {
  if (best === null) return null;
  const sign = best.order === "min" ? 1 : -1;
  const measured = runs.flatMap((run) =>
    run.state === "done" && run.reading !== null ? [{ run, by: run.reading }] : [],
  );
  return measured.toSorted((a, b) => sign * (a.by - b.by))[0]?.run ?? null;
}

/** What `--json` prints. */
export function documentOf(sweep: Sweep, { runs, spent }: Course, best: PointRun | null): object {
  return {
    sweep: sweep.name,
    stage: sweep.stage,
    overlays: sweep.overlays,
    best: sweep.best?.text ?? null,
    parallel: sweep.parallel,
    limits: sweep.limits,
    spent,
    points: sweep.points.map((point) => {
      const run = runs.find((each) => each.point === point);
      return {
        values: point.at,
        set: point.sets,
        ...(run === undefined
          ? { state: "open" }
          : {
              state: run.state,
              id: run.id,
              directory: run.directory,
              reading: run.reading,
              seconds: run.seconds,
              cost: run.cost,
              best: run === best,
            }),
      };
    }),
  };
}
