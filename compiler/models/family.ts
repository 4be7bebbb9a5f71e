import type { FamilyName, Scalar } from "../pipeline.ts";
import type { SizedModel } from "../plan.ts";

/** The properties that decide what a model of a family is, by their names in a file. */
export type Shape = Omit<SizedModel, "family" | "parameters" | "flops_per_token">;
export type Group = "moe" | "mla" | "ssm" | "rwkv";
export type OwnProperty = Exclude<keyof Shape, Group>;
type Inner<G extends Group> = `${G}.${keyof NonNullable<Shape[G]> & string}`;
/** A property by its path: `d_model`, `moe.experts`. */
export type Property = OwnProperty | Inner<"moe"> | Inner<"mla"> | Inner<"ssm"> | Inner<"rwkv">;

export type ValueOf<P extends Property> = P extends `${infer G extends Group}.${infer N}`
  ? N extends keyof NonNullable<Shape[G]>
    ? NonNullable<NonNullable<Shape[G]>[N]>
    : never
  : P extends OwnProperty
    ? NonNullable<Shape[P]>
    : never;

/** A shape in the making, flat. */
export type Draft = { readonly [P in Property]?: ValueOf<P> };

/** A property that counts something and may stand in the shape of a tensor. */
export type Dimension = { [P in Property]: ValueOf<P> extends number ? P : never }[Property];

/** A size: a number, a property, the product of several, or a sum. */
export type Extent = number | Dimension | readonly Extent[] | { readonly sum: readonly Extent[] };

/** When a tensor exists or a value is kept; absent means always, a list means all of them. */
export type Condition =
  | "bias"
  | "qkv_bias"
  | "gated"
  | "dropout"
  | "qk_norm"
  | "parallel_residual"
  | "sequential_residual"
  | "moe.router_bias"
  | `has:${Dimension}`
  | `no:${Dimension}`
  | `norms:${number}`
  | `positions:${SizedModel["positions"]}`
  | `activation:${SizedModel["activation"]}`;

/**
 * What a parameter does: `matrix` multiplies every token, `head` does too and is the embedding's own table when the
 * model is tied, `embedding` and `positions` are looked up, `norm`, `bias` and `state` (decays, convolutions, mixing
 * weights) are vectors.
 */
export type Role = "embedding" | "positions" | "matrix" | "head" | "norm" | "bias" | "state";

/** What splits an axis of a tensor: tensor parallelism, or expert parallelism. */
export type Axis = "tensor" | "expert";

export interface Tensor {
  readonly name: string;
  readonly role: Role;
  /** Outer to inner; a matrix is `[inputs, outputs]` whichever way the class stores it, experts stand first. */
  readonly shape: readonly Extent[];
  /** By axis of `shape`; absent: every rank of a stage holds all of it. */
  readonly split?: readonly (Axis | null)[];
  readonly when?: Condition | readonly Condition[];
  /** Of `moe.experts` such tensors each token passes through `moe.top_k`. */
  readonly routed?: true;
  /** Part of the model and of its checkpoint, but moved by a rule and not by the optimizer. */
  readonly buffer?: true;
}

/**
 * Bytes per element of a value that autograd keeps: `compute` is the width that matrix products run in, `residual` the
 * width of the residual stream, `cast` what autocast copies because the stream is wider than the product (nothing
 * otherwise), `wide` an fp32 copy that exists even where the stream is narrower, `promoted` an fp32 copy for an operation that CUDA's
 * autocast runs in fp32 (nothing otherwise; PyTorch, "CUDA Ops that can autocast to float32": powers). Where norms read and give more bits than
 * the stream has, `residual` and `cast` are of the norms, `stream` is the stream's own width, `recast` what `cast` is for values as wide as the
 * stream, and `widened` a copy of the stream for one more norm. A number is itself.
 */
export type Width =
  "compute" | "residual" | "cast" | "wide" | "promoted" | "stream" | "recast" | "widened" | number | ByMode;

/** Bytes in fp32, under autocast and where the model itself is in 16 bits: of code that casts by hand. */
export type ByMode = readonly [fp32: number, autocast: number, narrow: number];

/** A value kept from the forward pass for the backward pass, per token of a micro-batch. */
export interface Saved {
  readonly name: string;
  readonly size: Extent;
  readonly width: Width;
  readonly when?: Condition | readonly Condition[];
  /** Only with the attention that materialises scores: multiplied by the sequence length. */
  readonly scores?: true;
  /** Only with PyTorch's fused attention, which reads a mask where the class makes one. */
  readonly masked?: true;
  /** How many rows of `size` a sequence of so many tokens has; one a token where absent. */
  readonly rows?: (tokens: number, shape: Shape) => number;
}

/** Which layers of a model are of a kind: all, those with or without experts, or those of a letter of `pattern`. */
export type Place = "layers" | "dense" | "moe" | `letter:${string}`;

/** What a layer is put together from. */
export interface Part {
  readonly tensors: readonly Tensor[];
  readonly saved: readonly Saved[];
  /** Width of all attention heads together: the core costs `4 * width * sequence` FLOPs a token before the causal half. */
  readonly attention?: Extent;
  /** The attention looks back `window` tokens. */
  readonly windowed?: true;
  /** Forward FLOPs per token of a recurrence, beside its matrices. */
  readonly scan?: Extent;
  /** The same as the class computes it where it has no kernel for the recurrence. */
  readonly plainly?: PlainScan;
}

/** What a recurrence costs that is written in PyTorch's own operations. */
export interface PlainScan {
  /** Forward FLOPs per token. */
  readonly flops: Extent;
  /** Operations that the host starts forward for each position of a sequence, views among them; absent where whole chunks are computed at once. */
  readonly launches?: number;
  /**
   * Elements of fp32 that backward clears and adds up for each pair of positions: the gradient of what one position takes out of a tensor is as
   * large as the whole tensor (torch, `select_backward`).
   */
  readonly pairs?: Extent;
}

/** One kind of layer and where it stands. */
export interface Layer extends Part {
  readonly kind: string;
  readonly place: Place;
}

/** A value the family gives when nobody else does. */
export interface Default<T = Scalar> {
  readonly value: T | ((draft: Draft) => T | null);
  /** In words, for a value computed from others. */
  readonly rule?: string;
  readonly inputs?: readonly Property[];
  readonly source: string;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What builds a model of the family: the classes of `transformers` or the trainer's own, and each key of the configuration from a property. */
export interface Build {
  readonly model: string;
  readonly config: string;
  readonly keys: Readonly<Record<string, Property | ((shape: Shape) => Json)>>;
  /** Fused attention that the class has none of: without PyTorch's it writes scores, without FlashAttention it does not start. */
  readonly lacks?: readonly ("sdpa" | "flash")[];
  /** Values of properties that the family may have and the class cannot. */
  readonly only?: { readonly [P in Property]?: readonly Scalar[] };
}

export interface Family {
  readonly name: FamilyName;
  /** Where it was published. */
  readonly paper: string;
  /** The class that messages name. */
  readonly class: string;
  readonly defaults: { readonly [P in Property]?: Default };
  /** Properties the family cannot vary freely: the only values it has, or the rule that decides them. */
  readonly fixed: { readonly [P in Property]?: readonly Scalar[] | "derived" };
  readonly before: readonly Tensor[];
  readonly layers: readonly Layer[];
  readonly after: readonly Tensor[];
  readonly build: Build;
  /** Published shapes by growing width, which the sizer follows; those of Transformers at large where there are none. */
  readonly ladder?: readonly Rung[];
  /** The width from which on its shapes share key-value heads where nothing says how many; that of most families where absent. */
  readonly groupedFrom?: (draft: Draft) => number;
  /** Its norms read and give what products read under CUDA's autocast, which widens those of other families. */
  readonly narrowNorms?: true;
  /** Its class refuses heads that do not divide the width of the model, whatever their own width is. */
  readonly evenHeads?: true;
}

/** Depth, width, and what is called so. */
export type Rung = readonly [layers: number, width: number, model: string];
