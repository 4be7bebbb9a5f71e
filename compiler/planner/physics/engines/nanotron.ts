import type { Engine } from "../engine.ts";

/**
 * bf16 weights, gradients accumulated in fp32, fp32 masters and two moments; blocks are dealt to stages by their work
 * (nanotron, models/base.py, build_model). `kept`, `logits` and what is made beside gradients are close to what its Llama saves, and were
 * got from measured peaks.
 */
export const nanotron: Engine = {
  name: "nanotron",
  states: { weights: 2, gradients: 4, transient: 0.9, optimizer: 12, step: 5 },
  kept: { stream: 7.9, whole: 1.5, qkv: 3.7, core: 2, plain: 4, gated: 5.45, scores: 5 },
  materialised: false,
  logits: 11,
  partition: "work",
  padding: 1,
  format: "bf16",
  overlaps: { tensor: true, data: true, pipeline: false, weights: false, gradients: "whole" },
  reduced: 4,
  waits: 192,
};
