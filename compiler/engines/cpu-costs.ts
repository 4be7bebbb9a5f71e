import type { Layout } from "../plan.ts";
import type { Precision } from "./engine.ts";

/** What the memory of an engine's states depends on. */
export interface StateInput {
  /** Parameters of this rank before ZeRO shards anything. */
  readonly parameters: number;
  /** Those of them that are on this rank, where ranks share experts out. */
  readonly held?: number;
  /** Parameters that matrix products read: autocast keeps copies of these. */
  readonly matrices: number;
  /** Parameters of the largest layer: what is gathered at once. */
  readonly layer: number;
  readonly d_model: number;
  /** Ranks that hold the same parameters. */
  readonly world: number;
  readonly precision: Precision;
  readonly zero_stage: Layout["zero_stage"];
  readonly offload: Layout["offload"];
}

/** Bytes of one rank. */
export interface States {
  readonly weights: number;
  readonly gradients: number;
  readonly optimizer: number;
  /** Buckets and gathered layers, held during forward and backward. */
  readonly buffers: number;
  /** What only the optimizer step needs, on top of weights, gradients and optimizer. */
  readonly step: number;
  /** On the host. */
  readonly host: number;
}

/** Bytes that one rank hands to each kind of collective in an optimizer step. */
export interface Traffic {
  readonly all_reduce: number;
  readonly reduce_scatter: number;
  readonly all_gather: number;
  /** Over the host link, both ways together. */
  readonly host: number;
}

/** An engine on a machine without a GPU. */
export interface CpuCosts {
  /** Bytes of a Python process with the engine's libraries and no model, measured. */
  readonly resident: number;
  /** Passes over a rank's own share of the states in a step, in those of torch's fused AdamW: the update, and clipping beside it. */
  readonly passes: { readonly update: number; readonly clip: number };
  readonly states: (input: StateInput) => States;
  readonly traffic: (input: StateInput, accumulation: number) => Traffic;
}
