import { only, propose, say, type Intent, type Subject } from "./intent.ts";
import { hasExperts } from "./model.ts";

/** How the work is spread over ranks. */
export function layoutIntents({ plan: { layout, model, batch } }: Subject): readonly Intent[] {
  const { tensor_parallel, pipeline_parallel, virtual_pipeline, context_parallel, expert_parallel } = layout;
  const isSharded = layout.zero_stage > 0;
  return [
    say("tensor_model_parallel_size", tensor_parallel, "layout.tensor_parallel"),
    say("sequence_parallel", layout.sequence_parallel, "layout.sequence_parallel"),
    say("pipeline_model_parallel_size", pipeline_parallel, "layout.pipeline_parallel"),
    ...only(virtual_pipeline > 1, () => [
      say("num_virtual_stages_per_pipeline_rank", virtual_pipeline, "layout.virtual_pipeline"),
    ]),
    say("context_parallel_size", context_parallel, "layout.context_parallel"),
    ...only(context_parallel > 1, () => [propose("cp_comm_type", ["p2p"], "layout.context_parallel")]),
    ...only(hasExperts(model), () => [
      say("expert_model_parallel_size", expert_parallel, "layout.expert_parallel"),
      propose("expert_tensor_parallel_size", 1, "layout.expert_parallel"),
    ]),
    say("use_distributed_optimizer", isSharded, "layout.zero_stage"),
    ...only(layout.data_parallel * context_parallel > 1, () => [
      propose("overlap_grad_reduce", true, "layout.data_parallel"),
      propose("overlap_param_gather", isSharded, "layout.zero_stage"),
    ]),
    ...recomputeIntents(layout.recompute),
    say("micro_batch_size", batch.micro_batch, "batch.micro_batch"),
    say("global_batch_size", batch.global_batch, "batch.global_batch"),
    say("distributed_backend", "nccl", "engine"),
  ];
}

function recomputeIntents(recompute: "none" | "selective" | "full"): readonly Intent[] {
  const from = "layout.recompute";
  switch (recompute) {
    case "none":
      return [];
    case "selective":
      return [say("recompute_granularity", "selective", from), propose("recompute_modules", ["core_attn"], from)];
    case "full":
      return [
        say("recompute_granularity", "full", from),
        propose("recompute_method", "uniform", from),
        propose("recompute_num_layers", 1, from),
      ];
  }
}
