/** `"auto"` in a DeepSpeed JSON: a word of transformers and accelerate. */
import type { Located } from "../documents/located.ts";

/** Keys whose `"auto"` they fill. Source: transformers/integrations/deepspeed.py, accelerate/accelerator.py: _prepare_deepspeed. */
export const filled: ReadonlySet<string> = new Set([
  "train_batch_size",
  "train_micro_batch_size_per_gpu",
  "gradient_accumulation_steps",
  "gradient_clipping",
  "optimizer.params.lr",
  "optimizer.params.betas",
  "optimizer.params.eps",
  "optimizer.params.weight_decay",
  "scheduler.params.warmup_min_lr",
  "scheduler.params.warmup_max_lr",
  "scheduler.params.warmup_num_steps",
  "scheduler.params.total_num_steps",
  "fp16.enabled",
  "bf16.enabled",
  "zero_optimization.reduce_bucket_size",
  "zero_optimization.stage3_prefetch_bucket_size",
  "zero_optimization.stage3_param_persistence_threshold",
  "zero_optimization.stage3_gather_16bit_weights_on_model_save",
  "zero_optimization.stage",
  "zero_optimization.offload_optimizer.device",
  "zero_optimization.offload_param.device",
]);

/** Every place that says it. */
export function autos(node: Located, prefix = ""): readonly { readonly path: string; readonly node: Located }[] {
  if (node.kind === "scalar") return node.value === "auto" ? [{ path: prefix, node }] : [];
  if (node.kind !== "map") return [];
  return node.entries.flatMap(({ key, value }) => autos(value, prefix === "" ? key : `${prefix}.${key}`));
}
