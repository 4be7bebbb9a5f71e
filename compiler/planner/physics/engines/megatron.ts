import type { Engine } from "../engine.ts";

/**
 * Mixed precision as Megatron-Core keeps it (docs: dist_optimizer.md): bf16 weights, fp32 gradients, fp32 masters and two
 * moments, 18 bytes, the last twelve shared by the distributed optimizer. `kept` follows Korthikanti et al. 2022 (arXiv
 * 2205.05198): a sublayer keeps its norm's input and output and a dropout mask (5 bytes of width), queries, keys and
 * values 2 each, the core's output 2, the feed-forward's two ends 2 each (gated: gate, up and their product).
 */
export const megatron: Engine = {
  name: "megatron",
  states: { weights: 2, gradients: 4, transient: 0, optimizer: 12, step: 0 },
  kept: { stream: 5, whole: 0, qkv: 2, core: 2, plain: 4, gated: 6, scores: 5 },
  materialised: false,
  logits: 8,
  partition: "even",
  padding: 128,
  format: "bf16",
  overlaps: { tensor: true, data: true, pipeline: true },
  reduced: 4,
};

/** Before fused attention: scores are written, and gradients are fp16 with an fp32 copy at the step. */
export const megatron_2021: Engine = {
  ...megatron,
  name: "megatron-2021",
  states: { weights: 2, gradients: 2, transient: 0, optimizer: 16, step: 0 },
  materialised: true,
  format: "fp16",
  overlaps: { tensor: false, data: false, pipeline: true },
  reduced: 2,
};

/** How a run of Megatron-Core is configured where that changes what it allocates. */
export interface Options {
  readonly fp16: boolean;
  readonly dropout: boolean;
  readonly fused: boolean;
  /** The jitted loss keeps fp32 copies that the plain one frees. */
  readonly fusion: boolean;
}

/** Megatron-Core as its own tests run it: gradients of fp16 in fp16 with an fp32 copy at the step, 20 bytes. */
export function functional({ fp16, dropout, fused, fusion }: Options): Engine {
  return {
    ...megatron,
    name: "megatron-core",
    states: fp16 ? { weights: 2, gradients: 2, transient: 0, optimizer: 16, step: 0 } : megatron.states,
    kept: { ...megatron.kept, stream: dropout ? 5 : 4, scores: dropout ? 5 : 2 },
    materialised: !fused,
    logits: fusion ? 10 : 6,
    format: fp16 ? "fp16" : "bf16",
  };
}
