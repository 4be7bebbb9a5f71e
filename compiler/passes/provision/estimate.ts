/** What all stages of a file take on so many nodes. */
import type { ClusterSpec, Pipeline, StageStep } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { worldOf } from "../../planner/setting.ts";
import { priceOf } from "../../planner/run/price.ts";
import { totalOf } from "../../planner/run/total.ts";
import { upper } from "../../planner/upper.ts";
import { asPreferred, withinAsAsked } from "../parallelize/as-asked.ts";
import { batchOf } from "../parallelize/batch.ts";
import { beyondLimits } from "../parallelize/beyond.ts";
import { lengthOf } from "../parallelize/length.ts";
import { splitOf } from "../parallelize/split.ts";
import { size } from "../size.ts";

export interface Estimate {
  readonly nodes: number;
  readonly hours: number;
  readonly deviceHours: number;
  readonly cost: number | null;
  /** 0: within what stages may take, with the estimate's error to spare; 1: within it by the estimate; 2: beyond it. */
  readonly rank: 0 | 1 | 2;
  /** The estimate over the narrowest bound. */
  readonly over: number;
  /** With the fastest engine for stages that have bounds. */
  readonly isHurried: boolean;
}

/**
 * `null` where some stage does not run on so many nodes, or where all take more than so many hours. The fastest engine speaks for each number
 * of nodes; where only nodes count the plainest does, unless the fastest keeps the bounds more surely.
 */
export function estimator(pipeline: Pipeline): (nodes: number, hours: number) => Estimate | null {
  const { open: _, ...fixed } = pipeline.launch.cluster;
  const stages = pipeline.steps
    .filter((step): step is StageStep => step.kind === "stage")
    .map((stage) => asPreferred(stage, pipeline.launch.cluster));
  const models = stages.map((stage) => size(stage.model).model);
  const on = (those: readonly StageStep[], nodes: number, most: number, isHurried: boolean): Estimate | null =>
    // Between how many the choice is makes no difference to any of them, and is long.
    estimateOn(pipeline, those, models, { ...fixed, nodes }, most, isHurried);
  const hurried = stages.map(inHurry);
  const isSame = hurried.every((stage, at) => stage === stages[at]);
  return (nodes, most) => {
    const calm = on(stages, nodes, most, false);
    const fast = isSame ? null : on(hurried, nodes, Math.min(most, calm?.hours ?? Infinity), true);
    if (calm === null || fast === null) return calm ?? fast;
    return fast.rank < calm.rank ? fast : calm;
  };
}

/** A stage whose bounds ask for the fastest engine, where it names none. */
export function inHurry(stage: StageStep): StageStep {
  const { engine, isHurried, limits } = stage;
  const isBound = limits.given.size + limits.bounds.size > 0;
  return isBound && engine === null && isHurried !== true ? { ...stage, isHurried: true } : stage;
}

function estimateOn(
  pipeline: Pipeline,
  stages: readonly StageStep[],
  models: readonly (SizedModel | null)[],
  cluster: ClusterSpec,
  most: number,
  isHurried: boolean,
): Estimate | null {
  const devices = worldOf(cluster);
  let hours = 0;
  let over = 0;
  let sure = 0;
  for (const [at, stage] of stages.entries()) {
    const model = models[at] ?? null;
    const { samples } = batchOf(stage, cluster);
    if (model === null || samples === null) return null;
    const { steps } = lengthOf(stage, pipeline, samples);
    if (steps === null) return null;
    const split = splitOf(stage, pipeline);
    const seconds = ((most - hours) * 3600) / steps;
    const best = withinAsAsked(stage, cluster, model, samples, seconds, { steps, split });
    if (best === null) return null;
    const beyond = beyondLimits(stage, best, { steps, split });
    over = Math.max(over, beyond);
    sure = Math.max(sure, beyond * upper(best.time.error));
    hours += totalOf(best, stage, steps, split).hours;
  }
  const deviceHours = hours * devices;
  const price = priceOf(cluster);
  const cost = price === null ? null : deviceHours * price;
  return { nodes: cluster.nodes, hours, deviceHours, cost, over, rank: sure <= 1 ? 0 : over <= 1 ? 1 : 2, isHurried };
}
