/** A choice as a plan says it. */
import { parametersOf } from "../../models/measure.ts";
import type { Layout, StagePlan } from "../../plan.ts";
import { paddedRows } from "../../planner/adapter/padded-rows.ts";
import { offloadedLayers } from "../../planner/details.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { replicasOf } from "../../planner/setting.ts";

export function layoutOf({ setting, choice }: Evaluated): Layout {
  const { modules = choice.modules, block = choice.repeats, uniform } = setting.details ?? {};
  const { nodes, gpusPerNode } = setting.cluster;
  const padded = paddedRows(setting, choice);
  return {
    world: nodes * gpusPerNode,
    nodes,
    gpus_per_node: gpusPerNode,
    data_parallel: replicasOf(setting.cluster, choice),
    tensor_parallel: choice.tensor_parallel,
    pipeline_parallel: choice.pipeline_parallel,
    virtual_pipeline: choice.virtual_pipeline,
    context_parallel: choice.context_parallel,
    expert_parallel: choice.expert_parallel,
    expert_tensor_parallel: choice.expert_tensor_parallel,
    sequence_parallel: choice.sequence_parallel,
    zero_stage: choice.zero_stage,
    ...(setting.shardOver === undefined || choice.zero_stage < 2 ? {} : { shard_over: setting.shardOver }),
    recompute: choice.recompute,
    ...(choice.recompute === "selective" && modules !== undefined ? { recompute_modules: modules } : {}),
    ...(choice.recompute === "full" && block !== undefined ? { recompute_block: block } : {}),
    ...(choice.recompute === "full" && uniform !== undefined ? { recompute_uniform: uniform } : {}),
    offload: choice.offload,
    ...(choice.offload === "activations"
      ? { offload_layers: offloadedLayers(setting.details ?? {}, setting.model.layers) }
      : {}),
    ...(padded === setting.model.vocab
      ? {}
      : {
          padded_vocab: padded,
          held_parameters: parametersOf(setting.family, { ...setting.model, vocab: padded }).total,
        }),
  };
}

export function batchPlanOf({ setting, choice }: Evaluated): StagePlan["batch"] {
  return {
    micro_batch: choice.micro_batch,
    accumulation: choice.accumulation,
    global_batch: setting.globalBatch,
    sequence: setting.sequence,
    tokens_per_step: setting.globalBatch * setting.sequence,
  };
}
