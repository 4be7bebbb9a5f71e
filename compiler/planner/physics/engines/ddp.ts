import type { Engine } from "../engine.ts";
import { fsdp } from "./fsdp.ts";

/**
 * torch DistributedDataParallel under the transformers Trainer. It keeps fp32 weights in every precision and runs the model
 * under autocast (accelerate, accelerator.py: prepare_model), so the stream stays fp32; the 16-bit copies of the matrices live
 * from their first use to the end of backward (torch/amp/autocast_mode.py: cache_enabled). With several ranks DDP holds a second
 * copy of the gradients in its buckets (torch/nn/parallel/distributed.py, gradient_as_bucket_view=False). The loss upcasts
 * logits and keeps log-probabilities and two gradients in fp32 (transformers, loss/loss_utils.py: ForCausalLMLoss).
 */
export function ddp(format: "fp32" | "bf16" | "fp16", ranks: number): Engine {
  const bucket = ranks > 1 ? 4 : 0;
  return {
    name: "ddp",
    states: { weights: 4, gradients: 4, transient: 0, optimizer: 8, step: bucket },
    kept: fsdp.kept,
    materialised: false,
    logits: 12,
    partition: "even",
    padding: 1,
    format,
    overlaps: { tensor: false, data: true, pipeline: false },
    reduced: 4,
    modules: true,
    autocast: true,
    stream: 4,
    late: true,
    copies: format === "fp32" ? 0 : 2,
    buckets: { bytes: bucket, elements: Infinity },
  };
}
