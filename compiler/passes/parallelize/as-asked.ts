/** The engine and layout of a stage, as its bounds and the preference of its cluster ask for them: the plainest engine, or the fastest. */
import type { ClusterSpec, StageStep } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { upper } from "../../planner/upper.ts";
import { beyondLimits } from "./beyond.ts";
import { chooseStarted, type Course, type Started, startedWithin } from "./started.ts";

export function chooseAsAsked(
  stage: StageStep,
  cluster: ClusterSpec,
  model: SizedModel,
  samples: number,
  course: Course,
): Started {
  return asAsked(stage, cluster, course, (as) => chooseStarted(as, cluster, model, samples, course));
}

/** The same within so many seconds a step; `null` where none is. */
export function withinAsAsked(
  stage: StageStep,
  cluster: ClusterSpec,
  model: SizedModel,
  samples: number,
  seconds: number,
  course: Course,
): Evaluated | null {
  const found = (as: StageStep) => ({ best: startedWithin(as, cluster, model, samples, seconds, course) });
  return asAsked(stage, cluster, course, found).best;
}

function asAsked<T extends { readonly best: Evaluated | null }>(
  stage: StageStep,
  cluster: ClusterSpec,
  course: Course,
  choose: (stage: StageStep) => T,
): T {
  const preferred = asPreferred(stage, cluster);
  const first = choose(preferred);
  const surely = (best: Evaluated): number => beyondLimits(stage, best, course) * upper(best.time.error);
  if (preferred.isHurried === true || stage.engine !== null) return first;
  if (first.best === null || surely(first.best) <= 1) return first;
  const fast = choose({ ...stage, isHurried: true });
  if (fast.best === null) return first;
  return beyondLimits(stage, first.best, course) > 1 || surely(fast.best) <= 1 ? fast : first;
}

/** A stage on a cluster whose nodes are chosen for the least time or the fewest device-hours is in a hurry: so is its engine. */
export const asPreferred = (stage: StageStep, { open }: ClusterSpec): StageStep =>
  open === undefined || open.prefer === "fewest" ? stage : { ...stage, isHurried: true };
