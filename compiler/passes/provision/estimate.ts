/** What all stages of a file take on so many nodes. */
import type { Pipeline, StageStep } from "../../pipeline.ts";
import { worldOf } from "../../planner/setting.ts";
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
}

/** `null` where some stage does not run on so many nodes, or where all take more than so many hours. */
export function estimator(pipeline: Pipeline): (nodes: number, hours: number) => Estimate | null {
  const stages = pipeline.steps
    .filter((step): step is StageStep => step.kind === "stage")
    .map((stage) => asPreferred(stage, pipeline.launch.cluster));
  const models = stages.map((stage) => size(stage.model).model);
  // Between how many the choice is makes no difference to any of them, and is long.
  const { open: _, ...fixed } = pipeline.launch.cluster;
  return (nodes, most) => {
    const cluster = { ...fixed, nodes };
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
    const cost = cluster.price === null ? null : deviceHours * cluster.price;
    return { nodes, hours, deviceHours, cost, over, rank: sure <= 1 ? 0 : over <= 1 ? 1 : 2 };
  };
}
