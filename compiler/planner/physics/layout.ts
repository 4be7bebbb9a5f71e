/** How a model is spread over ranks, and what one step is. */
export interface Layout {
  readonly tensor: number;
  readonly pipeline: number;
  /** Model chunks per pipeline rank; 1: not interleaved. */
  readonly chunks: number;
  /** Micro-batches that one chunk runs before the next has its turn; as many as stages where absent. */
  readonly turn?: number;
  readonly context: number;
  readonly expert: number;
  readonly expert_tensor: number;
  readonly data: number;
  readonly sequence_parallel: boolean;
  /** 0 to 3; FSDP is 3. */
  readonly zero: 0 | 1 | 2 | 3;
  /** Ranks that states are sharded over where that is less than `data` (hybrid sharding). */
  readonly shard?: number | undefined;
  /** Ranks that hold the weights of stage 3 once more among them, for backward passes to gather (hpZ: arXiv 2306.10209, section 3.2). */
  readonly second?: number | undefined;
  readonly schedule: Schedule;
  readonly recompute: Recompute;
  /** Of `full`, the share of the layers that run again; all of them where absent. */
  readonly share?: number | undefined;
  /** Of `full`, layers that keep one input together; one where absent. */
  readonly unit?: number | undefined;
  /** What `selective` runs again; the attention core where absent. */
  readonly modules?: readonly Module[] | undefined;
  /** Layers of each stage; even where absent. */
  readonly stages?: readonly number[] | undefined;
  /** Layers of each chunk of each stage, all first chunks first, where no other rule says them. */
  readonly pieces?: readonly number[] | undefined;
  /** Layers that the embedding and the loss count for when stages are cut. */
  readonly ends?: { readonly embedding: number; readonly loss: number } | undefined;
  readonly offload: "none" | "optimizer" | "parameters" | "activations";
  /** Of `activations`, the share of the layers. */
  readonly moved?: number | undefined;
}

/** A model on one rank. */
export const alone: Layout = {
  tensor: 1,
  pipeline: 1,
  chunks: 1,
  context: 1,
  expert: 1,
  expert_tensor: 1,
  data: 1,
  sequence_parallel: false,
  zero: 0,
  schedule: "1f1b",
  recompute: "none",
  offload: "none",
};

export type Schedule = "gpipe" | "1f1b" | "zero-bubble";

/** `selective`: some modules of a layer. */
export type Recompute = "none" | "selective" | "full";

/** As Megatron-Core names them (megatron/core/transformer/transformer_config.py: recompute_modules). */
export type Module = "core_attn" | "layernorm" | "mla_up_proj" | "mlp" | "moe_act" | "moe" | "shared_experts";

export interface Batch {
  /** Samples of one micro-batch of one data-parallel rank. */
  readonly micro: number;
  /** Micro-batches of one step. */
  readonly count: number;
  readonly sequence: number;
}

export function worldOf({
  tensor,
  pipeline,
  context,
  data,
}: Pick<Layout, "tensor" | "pipeline" | "context" | "data">): number {
  return tensor * pipeline * context * data;
}
