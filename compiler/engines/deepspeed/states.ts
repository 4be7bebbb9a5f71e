import type { Widths } from "../../models/measure.ts";
import type { StateInput, States, Traffic } from "../cpu-costs.ts";
import type { Precision } from "../engine.ts";
import { bucketsOf } from "./buckets.ts";

/** DeepSpeed casts the module itself (runtime/engine.py: _configure_distributed_model); nothing runs under autocast. */
export function widths(precision: Precision): Widths {
  return precision === "fp32" ? { compute: 4, residual: 4 } : { compute: 2, residual: 2 };
}

/**
 * P parameters, n ranks, w bytes of the model's type (ZeRO, arXiv 1910.02054, section 3; the code's own allocations):
 * weights w P, at stage 3 w P / n; gradients in the model's type, from stage 2 on their shard; fp32 master weights
 * and moments 12 P (fp32 without ZeRO: 8 P), from stage 1 on their shard (zero/stage_1_and_2.py:
 * single_partition_of_fp32_groups clones the shard even in fp32); the step casts gradients to fp32 once more.
 */
export function states(input: StateInput): States {
  const { parameters: p, held: own = p, world, zero_stage: stage, offload } = input;
  const w = input.precision === "fp32" ? 4 : 2;
  const shard = stage >= 1 ? world : 1;
  const bucket = bucketsOf(input.layer, input.d_model);
  const masters = (stage === 0 && w === 4 ? 8 : 12) * (p / shard);
  const stepGradients = stage === 0 && w === 4 ? 0 : 4 * (p / shard);
  const weights = stage === 3 ? (offload === "all" ? 0 : (w * p) / world) : w * own;
  const held = stage >= 2 ? (offload === "none" ? (w * p) / world : 0) : w * own;
  const buckets = world > 1 || stage >= 2 ? (stage === 0 ? 1 : 2) * w * Math.min(bucket.reduce, p) : 0;
  // What backward uses again stays gathered, up to `stage3_max_live_parameters` (zero/config.py: 1e9).
  const gathered = stage === 3 ? w * Math.min(p, 1e9) : 0;
  return {
    weights,
    gradients: held,
    optimizer: offload === "none" ? masters : 0,
    buffers: buckets + gathered,
    step: offload === "none" ? stepGradients : 0,
    host: offload === "none" ? 0 : masters + stepGradients + (offload === "all" ? (w * p) / world : 0),
  };
}

/**
 * Stage 0 and 1 reduce once a step, stages 2 and 3 after every micro-step; stage 1 and 2 gather the new weights once,
 * stage 3 gathers them for each forward and each backward (ZeRO, arXiv 1910.02054, section 7).
 */
export function traffic(input: StateInput, accumulation: number): Traffic {
  const { parameters: p, world, zero_stage: stage, offload } = input;
  const w = input.precision === "fp32" ? 4 : 2;
  const host =
    offload === "none" ? 0 : (2 * w * p) / world + (offload === "all" ? (2 * w * p * accumulation) / world : 0);
  switch (stage) {
    case 0:
      return { all_reduce: w * p, reduce_scatter: 0, all_gather: 0, host };
    case 1:
      return { all_reduce: 0, reduce_scatter: w * p, all_gather: w * p, host };
    case 2:
      return { all_reduce: 0, reduce_scatter: w * p * accumulation, all_gather: w * p, host };
    case 3:
      return { all_reduce: 0, reduce_scatter: w * p * accumulation, all_gather: 2 * w * p * accumulation, host };
  }
}
