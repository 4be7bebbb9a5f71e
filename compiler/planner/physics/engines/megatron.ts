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
  once: true,
};

/** Before fused attention: scores are written, and gradients are fp16 with an fp32 copy at the step. */
export const megatron_2021: Engine = {
  ...megatron,
  name: "megatron-2021",
  states: { weights: 2, gradients: 2, transient: 0, optimizer: 12, step: 4 },
  materialised: true,
  format: "fp16",
  overlaps: { tensor: false, data: false, pipeline: true },
  reduced: 2,
};

/** How a run of Megatron-Core is configured where that changes what it allocates. */
export interface Options {
  readonly fp16: boolean;
  readonly dropout: boolean;
  /** The attention core: scores in memory (in 32 bits where no kernel masks them), FlashAttention, or cuDNN's. */
  readonly core: "scores" | "wide-scores" | "flash" | "cudnn";
  /** The jitted loss keeps fp32 copies that the plain one frees; Transformer Engine's writes the gradient where the logits were. */
  readonly loss: "plain" | "jitted" | "in-place";
  /** Micro-batches whose gradient of the head's weight waits, with the logits' gradients that it takes. */
  readonly deferred: number;
  readonly mask: boolean;
  readonly libraries: Libraries;
}

/** What decides how much room matrix libraries keep. */
export interface Libraries {
  readonly generation: "ampere" | "hopper" | "blackwell";
  /** `CUBLAS_WORKSPACE_CONFIG=:4096:8`, as deterministic runs set it. */
  readonly deterministic: boolean;
  readonly transformer_engine: boolean;
  /** One product for all experts, on streams of its own. */
  readonly grouped: boolean;
}

const MiB = 2 ** 20;

/**
 * cuBLAS's workspace, once for the forward thread's handle and once for the backward's (torch: 32 MiB from Hopper on, else
 * 8.125 MiB; releases before 2026 took Blackwell for older), and Transformer Engine's, once for each stream (32 MiB from Hopper on, else
 * 4 MiB; four more streams for grouped products).
 */
export function workspaceBytes({ generation, deterministic, transformer_engine, grouped }: Libraries): number {
  const cublas = deterministic || generation !== "ampere" ? 32 : 8.125;
  const own = generation === "ampere" ? 4 : 32;
  return (2 * cublas + (transformer_engine ? own * (grouped ? 5 : 1) : 0)) * MiB;
}

/**
 * Megatron-Core as its own tests run it. Gradients of fp16 are fp16, with an fp32 copy while the optimizer steps.
 * FlashAttention wants samples first and Megatron keeps positions first, so that the core's output is kept twice.
 */
export function functional({ fp16, dropout, core, loss, deferred, mask, libraries }: Options): Engine {
  const wide = core === "wide-scores" ? 2 : 0;
  return {
    ...megatron,
    name: "megatron-core",
    workspaces: workspaceBytes(libraries),
    mask,
    // Without Transformer Engine the gradient of the head's table is made beside its buffer.
    ...(libraries.transformer_engine ? {} : { table: 2 }),
    states: fp16 ? { weights: 2, gradients: 2, transient: 0, optimizer: 12, step: 4 } : megatron.states,
    kept: {
      ...megatron.kept,
      stream: dropout ? 5 : 4,
      core: core === "flash" ? 4 : 2,
      scores: (dropout ? 5 : 2) + wide,
      routed: 2,
    },
    materialised: core === "scores" || core === "wide-scores",
    logits: { plain: 6, jitted: 10, "in-place": 2 }[loss] + 2 * deferred,
    format: fp16 ? "fp16" : "bf16",
  };
}
