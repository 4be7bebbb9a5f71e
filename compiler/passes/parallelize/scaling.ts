/** The same stage on fewer and on more devices. */
import type { ClusterSpec, Pipeline, StageStep } from "../../pipeline.ts";
import type { Layout, StagePlan } from "../../plan.ts";
import { hardlyEnds } from "../../planner/run/failures.ts";
import { totalOf } from "../../planner/run/total.ts";
import { worldOf } from "../../planner/setting.ts";
import { chooseAsAsked } from "./as-asked.ts";
import { batchPlanOf, layoutOf } from "./laid-out.ts";
import { splitOf } from "./split.ts";

/** A stage at one size of its cluster. `plan` is `null` where nothing fits. */
export interface ScalePoint {
  readonly devices: number;
  readonly nodes: number;
  readonly plan: {
    readonly engine: StagePlan["engine"];
    readonly layout: Layout;
    readonly batch: StagePlan["batch"];
    readonly tokens_per_second: number;
    readonly hours: number;
    readonly device_hours: number;
    readonly cost: number | null;
    /** Failures take as much as all else, or more. */
    readonly hardly_ends: boolean;
  } | null;
}

/** The best plan for each number of devices from one node's part to four times the cluster, with the same global batch. */
export function scalingOf(stage: StageStep, plan: StagePlan, pipeline: Pipeline): readonly ScalePoint[] {
  const { cluster } = pipeline.launch;
  const split = splitOf(stage, pipeline);
  return sizesOf(cluster).map(({ nodes, gpusPerNode }) => {
    const other = { ...cluster, nodes, gpusPerNode };
    const devices = worldOf(other);
    const course = { steps: plan.total.steps, split };
    const { best } = chooseAsAsked(stage, other, plan.model, plan.batch.global_batch, course);
    if (best === null || !best.fits) return { devices, nodes, plan: null };
    const { tokens_per_second } = best.time;
    const total = totalOf(best, stage, plan.total.steps, split);
    const { hours, gpu_hours: device_hours, cost } = total;
    const said = { engine: best.setting.engine.name, layout: layoutOf(best), batch: batchPlanOf(best) };
    return {
      devices,
      nodes,
      plan: { ...said, tokens_per_second, hours, device_hours, cost, hardly_ends: hardlyEnds(total) },
    };
  });
}

/** Powers of two in devices of one node and in nodes, and the cluster itself. */
function sizesOf({ nodes, gpusPerNode }: ClusterSpec): readonly Pick<ClusterSpec, "nodes" | "gpusPerNode">[] {
  const inside = powers(gpusPerNode).filter((devices) => devices < gpusPerNode);
  const across = [...new Set([...powers(4 * nodes), nodes])].sort((a, b) => a - b);
  return [
    ...inside.map((devices) => ({ nodes: 1, gpusPerNode: devices })),
    ...across.map((count) => ({ nodes: count, gpusPerNode })),
  ];
}

const powers = (most: number): number[] =>
  Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, exponent) => 2 ** exponent);
