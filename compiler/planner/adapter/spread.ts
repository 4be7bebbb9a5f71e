/** A choice as the physics reads it. */
import type { Batch, Layout } from "../physics/layout.ts";
import { replicasOf, type Choice, type Setting } from "../setting.ts";

export function layoutOf({ cluster, shardOver }: Setting, choice: Choice): Layout {
  return {
    tensor: choice.tensor_parallel,
    pipeline: choice.pipeline_parallel,
    chunks: choice.virtual_pipeline,
    context: choice.context_parallel,
    expert: choice.expert_parallel,
    // Experts are spread whole.
    expert_tensor: 1,
    data: replicasOf(cluster, choice),
    sequence_parallel: choice.sequence_parallel,
    zero: choice.zero_stage,
    ...(shardOver === undefined ? {} : { shard: shardOver }),
    schedule: "1f1b",
    recompute: choice.recompute,
    offload: choice.offload === "all" ? "parameters" : choice.offload,
  };
}

export function batchOf({ sequence }: Setting, choice: Choice): Batch {
  return { micro: choice.micro_batch, count: choice.accumulation, sequence };
}
