import type { Engine } from "../engine.ts";

/**
 * torch FSDP with mixed precision: fp32 shards of weights, gradients and moments; layers gathered in bf16 for forward
 * and again for backward, gradients scattered after each layer.
 */
export const fsdp: Engine = {
  name: "fsdp",
  states: { weights: 4, gradients: 4, transient: 0, optimizer: 8, step: 0 },
  kept: { stream: 4, whole: 0, qkv: 2, core: 2, plain: 4, gated: 8, scores: 5 },
  // Selective recomputation by operator (torchtitan, `apply_ac`): the layer's input, the core's output and every second
  // product's: queries, values, the gate and the way down.
  selective: { stream: 2, whole: 0, qkv: 1.6, core: 2, plain: 2, gated: 2, scores: 5 },
  materialised: false,
  logits: 4,
  partition: "even",
  padding: 1,
  format: "bf16",
  overlaps: { tensor: false, data: true, pipeline: false },
  reduced: 2,
};

/** torchtitan's loss in 32 bits: logits in 16, their copy in 32, its softmax and the gradient. */
export const torchtitan: Engine = { ...fsdp, logits: 14 };

/** Since 2025 it compiles the loss (torchtitan, components/loss.py): the logits and their gradient alone, in 16 bits. */
export const torchtitan_2025: Engine = { ...fsdp, logits: 4 };
