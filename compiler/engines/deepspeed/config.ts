/** `deepspeed.json`: concrete numbers only; `auto` would leave them to the transformers Trainer or to defaults. */
import type { Document } from "../../document.ts";
import type { StageStep } from "../../pipeline.ts";
import type { StagePlan } from "../../plan.ts";
import { families } from "../../models/index.ts";
import { swapBuffer } from "../../planner/nvme.ts";
import { bucketsOfModel } from "./buckets.ts";

/** What the stage and its plan decide, before `raw deepspeed` is laid over it. */
export function derivedConfig(stage: StageStep, plan: StagePlan): { readonly [key: string]: Document } {
  const { batch, layout } = plan;
  const precision = stage.precision.value;
  return {
    train_batch_size: batch.global_batch,
    train_micro_batch_size_per_gpu: batch.micro_batch,
    gradient_accumulation_steps: batch.accumulation,
    ...(layout.context_parallel === 1 ? {} : { sequence_parallel_size: layout.context_parallel }),
    ...(layout.pipeline_parallel === 1 ? {} : { pipeline: pipelineSection(plan) }),
    ...(layout.expert_parallel === 1 ? {} : { expert_parallel: expertSection(plan) }),
    // 0 switches clipping off; the engine's own default is 1.
    gradient_clipping: stage.clip ?? 0,
    ...(precision === "bf16" ? { bf16: { enabled: true } } : {}),
    ...(precision === "fp16" ? { fp16: { enabled: true, loss_scale: 0, initial_scale_power: 16 } } : {}),
    zero_optimization: { ...zeroSection(plan, stage.sharding.nvme?.value ?? null), ...zeroPlusPlus(stage) },
    // The training program brings torch's AdamW with its own parameter groups.
    zero_allow_untested_optimizer: true,
    ...(layout.offload === "none" ? {} : { zero_force_ds_cpu_optimizer: false }),
  };
}

/** AutoEP: the engine's own layers in the place of those that hold experts. Families have the names of its presets. */
function expertSection({ layout, model }: StagePlan): { readonly [key: string]: Document } {
  return { enabled: true, autoep_size: layout.expert_parallel, preset_model: model.family };
}

/** ZeRO++ (arXiv 2306.10209): weights once more within a group of ranks, and fewer bits over the network. */
function zeroPlusPlus({ sharding: { over, quantize } }: StageStep): { readonly [key: string]: Document } {
  return {
    ...(over === null ? {} : { zero_hpz_partition_size: over.value }),
    ...(quantize?.value.includes("weights") === true ? { zero_quantized_weights: true } : {}),
    ...(quantize?.value.includes("gradients") === true ? { zero_quantized_gradients: true } : {}),
  };
}

/** The rest of what `PipelineEngine` reads acts on ranks that share matrices. Only what is not reentrant takes the tokens themselves. */
function pipelineSection({ layout: { recompute } }: StagePlan): { readonly [key: string]: Document } {
  return { activation_checkpoint_interval: recompute === "none" ? 0 : 1, use_reentrant: false };
}

const swapping = ({ layout, model }: StagePlan): { readonly [key: string]: Document } => ({
  buffer_size: swapBuffer(families[model.family], model, layout.world),
});

function zeroSection(plan: StagePlan, nvme: string | null): { readonly [key: string]: Document } {
  const { layout, model } = plan;
  const stage = layout.zero_stage;
  if (stage === 0) return { stage };
  const buckets = bucketsOfModel(model);
  const host =
    nvme === null ? { device: "cpu", pin_memory: true } : { device: "nvme", nvme_path: nvme, pin_memory: true };
  return {
    stage,
    // A pipeline reduces once, after its last micro-batch (runtime/engine.py: _configure_zero_optimizer).
    overlap_comm: layout.pipeline_parallel === 1,
    contiguous_gradients: true,
    reduce_scatter: true,
    reduce_bucket_size: buckets.reduce,
    ...(stage === 3
      ? {
          stage3_prefetch_bucket_size: buckets.prefetch,
          stage3_param_persistence_threshold: buckets.persistence,
          stage3_gather_16bit_weights_on_model_save: true,
        }
      : { allgather_bucket_size: buckets.reduce }),
    ...(layout.offload === "none" ? {} : { offload_optimizer: host }),
    ...(layout.offload === "all" ? { offload_param: nvme === null ? host : { ...host, ...swapping(plan) } } : {}),
    // A weight that stays gathered for its next use keeps its buffer, and there are few (runtime/zero/partitioned_param_coordinator.py:
    // __params_to_release; swap_tensor/partitioned_param_swapper.py: swap_in).
    ...(layout.offload === "all" && nvme !== null ? { stage3_max_reuse_distance: 0 } : {}),
  };
}
