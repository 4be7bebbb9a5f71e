/** What decides the keys of `deepspeed.json`, and where that was said. */
import type { Span } from "../../../../dsl/source/source.ts";
import type { Document } from "../../../document.ts";
import type { StageStep } from "../../../pipeline.ts";
import type { StagePlan } from "../../../plan.ts";

export interface Owner {
  readonly from: (stage: StageStep, plan: StagePlan) => string;
  /** The stage itself, where the planner chose or a default holds. */
  readonly span: (stage: StageStep) => Span;
  /** What an absent key of the derived configuration means; without it the key has no meaning then. */
  readonly absent?: (stage: StageStep, plan: StagePlan) => Document;
}

const layout = (property: string, absent?: Owner["absent"]): Owner => ({
  from: () => `layout.${property} of the stage`,
  span: ({ layout: { given, bounds }, span }) => given.get(property)?.span ?? bounds.get(property)?.spans[0] ?? span,
  ...(absent === undefined ? {} : { absent }),
});

const precision = (name: "bf16" | "fp16"): Owner => ({
  from: (stage) => `precision = ${stage.precision.value}`,
  span: (stage) => stage.precision.span,
  absent: (stage) => stage.precision.value === name,
});

const option = (name: "over" | "quantize" | "nvme", word: string): Owner => ({
  from: () => `${word} of the engine`,
  span: ({ sharding, span }) => sharding[name]?.span ?? span,
});

/** By dotted paths; `proposals` has the rest of what is derived. */
export const owners: Readonly<Record<string, Owner>> = {
  train_batch_size: {
    from: (stage) => `batch = ${stage.batch.value.value} ${stage.batch.value.unit}`,
    span: (stage) => stage.batch.span,
  },
  train_micro_batch_size_per_gpu: layout("micro_batch"),
  gradient_accumulation_steps: {
    from: (_, { batch, layout }) =>
      `${batch.global_batch} samples = ${batch.micro_batch} micro x ${batch.accumulation} accumulation x ${layout.data_parallel} ${layout.data_parallel === layout.world ? "ranks" : "replicas"}`,
    span: (stage) => stage.batch.span,
  },
  sequence_parallel_size: layout("context_parallel", () => 1),
  "pipeline.activation_checkpoint_interval": layout("recompute"),
  "pipeline.use_reentrant": layout("pipeline_parallel"),
  gradient_clipping: {
    from: (stage) => `clip = ${stage.clip ?? "none"}`,
    span: ({ clipSpan, span }) => clipSpan ?? span,
  },
  "bf16.enabled": precision("bf16"),
  // An old name of the section, read where the new one is not there.
  "bfloat16.enabled": precision("bf16"),
  "fp16.enabled": precision("fp16"),
  "zero_optimization.stage": layout("zero_stage"),
  "zero_optimization.stage3_gather_16bit_weights_on_model_save": {
    ...layout("zero_stage"),
    from: () => "the whole weights that the training program saves under ZeRO 3",
  },
  "zero_optimization.zero_hpz_partition_size": option("over", "shard_over"),
  "zero_optimization.zero_quantized_weights": option("quantize", "quantize"),
  "zero_optimization.zero_quantized_gradients": option("quantize", "quantize"),
  "expert_parallel.enabled": layout("expert_parallel", () => false),
  "expert_parallel.autoep_size": layout("expert_parallel", () => 1),
  "expert_parallel.preset_model": {
    from: (_, plan) => `family ${plan.model.family} of the model`,
    span: (stage) => stage.model.family.span,
  },
  zero_allow_untested_optimizer: {
    from: (stage) => `optimizer = ${stage.optimizer.name}, which the training program provides`,
    span: (stage) => stage.optimizer.span,
  },
  zero_force_ds_cpu_optimizer: layout("offload"),
  // Old names: what the layout says is written under the new ones.
  "zero_optimization.cpu_offload": layout("offload", (_, plan) => plan.layout.offload !== "none"),
  "zero_optimization.cpu_offload_param": layout("offload", (_, plan) => plan.layout.offload === "all"),
  "zero_optimization.offload_optimizer.device": layout("offload", () => "none"),
  "zero_optimization.offload_param.device": layout("offload", () => "none"),
  "zero_optimization.offload_optimizer.nvme_path": option("nvme", "nvme"),
  "zero_optimization.offload_param.nvme_path": option("nvme", "nvme"),
};

/** Ways to do what the stage asks, which no property of a stage speaks of: a raw block may choose others. */
export const proposals: ReadonlySet<string> = new Set([
  ...["fp16.loss_scale", "fp16.initial_scale_power"],
  ...[
    ...["overlap_comm", "contiguous_gradients", "reduce_scatter", "reduce_bucket_size", "allgather_bucket_size"],
    ...["stage3_prefetch_bucket_size", "stage3_param_persistence_threshold"],
    ...["offload_optimizer.pin_memory", "offload_param.pin_memory"],
    ...["offload_param.buffer_size", "stage3_max_reuse_distance"],
  ].map((name) => `zero_optimization.${name}`),
]);
