import type { Engine } from "../engine.ts";

/**
 * bf16 weights, gradients accumulated in fp32, fp32 masters and two moments; blocks are dealt to stages by their work
 * (nanotron, models/base.py, build_model). `kept` and `logits` are close to what its Llama saves; see
 * `constants/nanotron-h100.ts` for how they were got.
 */
export const nanotron: Engine = {
  name: "nanotron",
  states: { weights: 2, gradients: 4, transient: 0.55, optimizer: 12, step: 6 },
  kept: { stream: 8.9, whole: 0.1, qkv: 4.3, core: 2, plain: 4, gated: 5.05, scores: 5 },
  materialised: false,
  logits: 17.9,
  partition: "work",
  padding: 1,
  format: "bf16",
  overlaps: { tensor: true, data: true, pipeline: false },
  reduced: 4,
};
