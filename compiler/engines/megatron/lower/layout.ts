import { families } from "../../../models/index.ts";
import { routedOf } from "../../../models/routed.ts";
import type { Layout } from "../../../plan.ts";
import type { PipelineCut } from "../../../planner/cuts.ts";
import { pipelineCut } from "../../../planner/pipeline-cut.ts";
import { pipelineLayoutOf } from "../pipeline-layout.ts";
import { isSteppedOnHost } from "../steps-on-host.ts";
import { only, propose, say, type Intent, type Subject } from "./intent.ts";

/** How the work is spread over ranks. */
export function layoutIntents({ plan, stage }: Subject): readonly Intent[] {
  const { layout, model, batch } = plan;
  const { tensor_parallel, pipeline_parallel, virtual_pipeline, context_parallel, expert_parallel } = layout;
  const isSharded = layout.zero_stage > 0;
  return [
    say("tensor_model_parallel_size", tensor_parallel, "layout.tensor_parallel"),
    say("sequence_parallel", layout.sequence_parallel, "layout.sequence_parallel"),
    say("pipeline_model_parallel_size", pipeline_parallel, "layout.pipeline_parallel"),
    ...only(virtual_pipeline > 1 && !isDealt(plan), () => [
      say("num_virtual_stages_per_pipeline_rank", virtual_pipeline, "layout.virtual_pipeline"),
    ]),
    ...cutIntents(plan),
    say("context_parallel_size", context_parallel, "layout.context_parallel"),
    ...only(context_parallel > 1, () => [propose("cp_comm_type", [sharingOf(plan)], "layout.context_parallel")]),
    ...only(routedOf(families[model.family], model) !== undefined, () => [
      say("expert_model_parallel_size", expert_parallel, "layout.expert_parallel"),
      say("expert_tensor_parallel_size", layout.expert_tensor_parallel, "layout.expert_tensor_parallel"),
    ]),
    say("use_distributed_optimizer", isSharded, "layout.zero_stage"),
    ...only(layout.data_parallel * context_parallel > 1, () => [
      propose("overlap_grad_reduce", true, "layout.data_parallel"),
      propose("overlap_param_gather", isSharded, "layout.zero_stage"),
    ]),
    ...recomputeIntents(layout),
    // What the host cannot step is refused in the words of the stage.
    ...only(layout.offload !== "optimizer" || isSteppedOnHost(stage.optimizer), () => offloadIntents(layout)),
    say("micro_batch_size", batch.micro_batch, "batch.micro_batch"),
    say("global_batch_size", batch.global_batch, "batch.global_batch"),
    say("distributed_backend", "nccl", "engine"),
  ];
}

/**
 * How ranks share a sequence. A ring has no windows; ranks that exchange heads need a whole number of them each
 * (transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py: attn_forward_func_with_cp).
 */
function sharingOf({ layout, model }: Subject["plan"]): "p2p" | "a2a" | "all_gather" {
  if ((model.window ?? 0) === 0) return "p2p";
  const cut = layout.tensor_parallel * layout.context_parallel;
  const groups = model.mla === undefined ? model.kv_heads : model.heads;
  return model.heads % cut === 0 && groups % cut === 0 ? "a2a" : "all_gather";
}

const cutOf = ({ layout, model }: Subject["plan"]): PipelineCut | null =>
  pipelineCut(model, layout.pipeline_parallel, layout.virtual_pipeline);

/** Do all chunks say their own layers, and so how many they are? */
const isDealt = (plan: Subject["plan"]): boolean => cutOf(plan)?.kind === "pieces";

/** Where stages are not equally deep. */
function cutIntents(plan: Subject["plan"]): readonly Intent[] {
  const from = "layout.pipeline_parallel";
  const cut = cutOf(plan);
  switch (cut?.kind) {
    case "tables":
      return [
        ...only(cut.embedding === 1, () => [propose("account_for_embedding_in_pipeline_split", true, from)]),
        ...only(cut.loss === 1, () => [propose("account_for_loss_in_pipeline_split", true, from)]),
      ];
    case "ends":
      return [
        propose("decoder_first_pipeline_num_layers", cut.first, from),
        propose("decoder_last_pipeline_num_layers", cut.last, from),
      ];
    case "pieces":
      return [
        propose(
          "pipeline_model_parallel_layout",
          pipelineLayoutOf(cut.pieces),
          plan.layout.virtual_pipeline > 1 ? "layout.virtual_pipeline" : from,
        ),
      ];
    default:
      return [];
  }
}

function recomputeIntents(layout: Layout): readonly Intent[] {
  const from = "layout.recompute";
  const { recompute_modules: modules, recompute_block: block, recompute_uniform: uniform } = layout;
  const whole = say("recompute_granularity", "full", from);
  switch (layout.recompute) {
    case "none":
      return [];
    case "selective":
      return [
        say("recompute_granularity", "selective", from),
        modules === undefined
          ? propose("recompute_modules", ["core_attn"], from)
          : say("recompute_modules", modules, from),
      ];
    case "full":
      if (block !== undefined)
        return [whole, say("recompute_method", "block", from), say("recompute_num_layers", block, from)];
      if (uniform !== undefined)
        return [whole, say("recompute_method", "uniform", from), say("recompute_num_layers", uniform, from)];
      return [whole, propose("recompute_method", "uniform", from), propose("recompute_num_layers", 1, from)];
  }
}

function offloadIntents({ offload, offload_layers = 0 }: Layout): readonly Intent[] {
  const from = "layout.offload";
  switch (offload) {
    case "optimizer":
      return [say("optimizer_cpu_offload", true, from), propose("use_precision_aware_optimizer", true, from)];
    case "activations":
      return [say("cpu_offloading_num_layers", offload_layers, from)];
    default:
      return [];
  }
}
