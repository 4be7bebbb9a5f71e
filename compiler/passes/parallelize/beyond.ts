/** What a stage may take in all, against what it would. */
import type { Settings, StageStep } from "../../pipeline.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { totalOf } from "../../planner/run/total.ts";
import type { Course } from "./started.ts";

/** The estimate over the narrowest of the stage's bounds; 0 where there is none, or its length is not known. */
export function beyondLimits(stage: StageStep, best: Evaluated, { steps, split }: Course): number {
  if (steps === null) return 0;
  const { hours, cost } = totalOf(best, stage, steps, split);
  return Math.max(share(stage.limits, "time", hours * 3600), share(stage.limits, "cost", cost));
}

function share({ given, bounds }: Settings, what: "time" | "cost", estimate: number | null): number {
  const said = given.get(what)?.value;
  const most = typeof said === "number" ? said : (bounds.get(what)?.max ?? null);
  return most === null || estimate === null ? 0 : estimate / most;
}
