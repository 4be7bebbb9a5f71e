/** A model as the physics sees it: a list of blocks, neutral of families and files. */
import type { Matrix } from "./matrices.ts";

/** Softmax attention with grouped heads, or with latent projections (MLA). */
export interface Attention {
  readonly heads: number;
  readonly kv_heads: number;
  /** Width of a head's query and key. */
  readonly head_dim: number;
  readonly window?: number;
  readonly latent?: {
    /** 0: queries are projected in one step. */
    readonly q_rank: number;
    readonly kv_rank: number;
    readonly nope_dim: number;
    readonly rope_dim: number;
    readonly v_dim: number;
  };
}

/** A selective state space layer (Mamba 2). */
export interface Mixer {
  readonly inner: number;
  readonly state: number;
  readonly groups: number;
  readonly heads: number;
  readonly conv: number;
}

export interface Ffn {
  readonly width: number;
  readonly gated: boolean;
}

export interface Experts extends Ffn {
  readonly experts: number;
  readonly top_k: number;
  /** Width of all shared experts together. */
  readonly shared: number;
  /** Width that tokens are projected to before they are routed; the model's where absent. */
  readonly latent?: number;
}

/** Of a recurrence in PyTorch's own operations. */
export interface PlainScan {
  /** Forward and per token. */
  readonly flops: number;
  /** Operations that the host starts forward for each position of a sequence. */
  readonly launches: number;
  /** Elements in 32 bits that backward clears and adds up for each pair of positions. */
  readonly pairs: number;
}

/** Bytes per token. */
export interface ModuleKept {
  /** Of the residual stream. */
  readonly stream: number;
  readonly inner: number;
  /** For each position that is attended to, where scores are written. */
  readonly scores: number;
  /** The same where PyTorch's fused attention reads a mask. */
  readonly masks: number;
}

/** What a model's family states of a block in full, beyond the kinds above. */
export interface Stated {
  /** Parameters that tensor parallelism cuts, those it leaves whole, those of routed experts. */
  readonly parameters: { readonly cut: number; readonly whole: number; readonly routed: number };
  /**
   * The family's own module: its products, and what autograd keeps of it under CUDA's autocast, with a stream in 32 bits and with one as narrow
   * as products, and where the module itself is in 16 bits.
   */
  readonly module: {
    readonly matrices: readonly Matrix[];
    readonly wide: ModuleKept;
    readonly cast: ModuleKept;
    readonly narrow: ModuleKept;
  };
  /** FLOPs of a recurrence, forward and per token. */
  readonly scan: number;
  /** The recurrence as the family's own module computes it without a kernel for it. */
  readonly plainly?: PlainScan;
}

/** One residual layer: a mixer of positions, a mixer of channels, or both. */
export interface Block {
  readonly attention?: Attention;
  readonly mixer?: Mixer;
  readonly ffn?: Ffn;
  readonly experts?: Experts;
  readonly stated?: Stated;
  /** What of it is trained, where that is not all: low-rank adapters beside these matrices, or nothing. */
  readonly tuned?: { readonly rank: number; readonly matrices: readonly Matrix[] };
  /** No gradient passes through it: all of it runs forward alone. */
  readonly unreached?: true;
}

export interface Shape {
  readonly hidden: number;
  readonly vocab: number;
  readonly tied: boolean;
  /** Rows of a table of learned positions. */
  readonly positions: number;
  /** Vectors of width `hidden` that one norm holds: 1 (RMS), 2 (layer norm). */
  readonly norm: 1 | 2;
  readonly bias: boolean;
  readonly qk_norm: boolean;
  readonly dropout: boolean;
  /** Rank of low-rank adapters on every matrix of a block; all else is frozen then. */
  readonly adapters?: number;
  /** The tables of tokens and positions are frozen, and a head that is tied to them. */
  readonly fixed_tables?: true;
  readonly blocks: readonly Block[];
}
