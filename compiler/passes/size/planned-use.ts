/** How much of their peak devices reach while they train what a budget pays for, as the plan of its stage estimates it. */
import type { ClusterSpec, ModelRequest, Pipeline, StageStep } from "../../pipeline.ts";
import { worldOf } from "../../planner/setting.ts";
import { batchOf } from "../parallelize/batch.ts";
import { sizedBatch } from "../parallelize/batch-size.ts";
import { chooseWithin } from "../parallelize/choose.ts";
import { remember } from "../remember.ts";
import { size } from "../size.ts";
import { parametersForCompute, usualUse } from "./budget.ts";

export interface Spent {
  /** Operations that the devices have in the time that is paid for, at their peak. */
  readonly flops: number;
  readonly peak: number;
  readonly ratio: number;
  readonly which: "total" | "active";
}

/** As near as shares of the peak are told apart, and as many plans as are made for that. */
const settled = 0.01;
const rounds = 10;

/** `null` where no plan of the stage fits. */
export const plannedUse = remember(useOf, () => true);

/**
 * The most that is reached where it is counted on: whoever counts on more gets a larger model, which may need another layout and reach less.
 */
function useOf(request: ModelRequest, stage: StageStep, cluster: ClusterSpec, spent: Spent): number | null {
  let low: number | null = null;
  let high = 1;
  let use = usualUse;
  for (let round = 0; round < rounds; round++) {
    const reached = reachedAt(use, request, stage, cluster, spent);
    if (reached !== null && reached >= use) {
      low = use;
      if (reached < high) use = Math.min(reached, (use + high) / 2);
      else use = (use + high) / 2;
    } else {
      high = use;
      use = low === null ? Math.min(reached ?? use / 2, use / 1.1) : (low + use) / 2;
    }
    if (low !== null && Math.min(high, use) / low - 1 < settled) break;
  }
  return low;
}

function reachedAt(
  use: number,
  request: ModelRequest,
  stage: StageStep,
  cluster: ClusterSpec,
  { flops, peak, ratio, which }: Spent,
): number | null {
  const target = Math.round(parametersForCompute(flops * use, ratio));
  const { model } = size({ ...request, size: { which, target, within: 0.01, span: request.span } });
  if (model === null) return null;
  const none = { steps: [] } as unknown as Pipeline;
  const batch = sizedBatch(stage, model, none, cluster);
  const { samples } = batchOf({ ...stage, batch }, cluster);
  const best = samples === null ? null : chooseWithin({ ...stage, batch }, cluster, model, samples, Infinity);
  if (best === null) return null;
  return (6 * model.parameters[which] * best.time.tokens_per_second) / (worldOf(cluster) * peak);
}
