import type { FamilyName, Scalar } from "../pipeline.ts";
import type { SizedModel } from "../plan.ts";

/** The properties that decide what a model of a family is, by their names in a file. */
export type Shape = Omit<SizedModel, "family" | "parameters" | "flops_per_token">;
export type Property = keyof Shape;

/** A property that counts something and may stand in the shape of a tensor. */
export type Dimension = "d_model" | "heads" | "kv_heads" | "head_dim" | "d_ff" | "vocab" | "context";

/** A size: a number, a property, or the product of several. */
export type Extent = number | Dimension | readonly Extent[];

/** When a tensor exists or a value is kept; absent means always. */
export type Condition =
  | "bias"
  | "qkv_bias"
  | "gated"
  | "dropout"
  | "parallel_residual"
  | "sequential_residual"
  | "untied"
  | `activation:${SizedModel["activation"]}`;

/**
 * What a parameter does: `matrix` multiplies every token, `head` does too and is the embedding's own table when the
 * model is tied, `embedding` and `positions` are looked up, `norm` and `bias` are vectors.
 */
export type Role = "embedding" | "positions" | "matrix" | "head" | "norm" | "bias";

export interface Tensor {
  readonly name: string;
  readonly role: Role;
  /** Outer to inner; a matrix is `[inputs, outputs]` whichever way the class stores it. */
  readonly shape: readonly Extent[];
  readonly when?: Condition;
}

/**
 * Bytes per element of a value that autograd keeps: `compute` is the width that matrix products run in, `residual` the
 * width of the residual stream, `cast` what autocast copies because the stream is wider than the product (nothing
 * otherwise), `wide` an fp32 copy that exists even where the stream is narrower; a number is itself.
 */
export type Width = "compute" | "residual" | "cast" | "wide" | number;

/** A value kept from the forward pass for the backward pass, per token of a micro-batch. */
export interface Saved {
  readonly name: string;
  readonly size: Extent;
  readonly width: Width;
  readonly when?: Condition;
  /** Only with the attention that materialises scores: multiplied by the sequence length. */
  readonly scores?: true;
}

/** One kind of layer and what repeats it. */
export interface Layer {
  readonly kind: string;
  readonly repeat: "layers";
  readonly tensors: readonly Tensor[];
  readonly saved: readonly Saved[];
  /** Width of all attention heads together: the core costs `4 * width * sequence` FLOPs a token before the causal half. */
  readonly attention: Extent;
}

/** A value the family gives when nobody else does. */
export interface Default<T> {
  readonly value: T | ((shape: Partial<Shape>) => T | null);
  /** In words, for a value computed from others. */
  readonly rule?: string;
  readonly inputs?: readonly Property[];
  readonly source: string;
}

export interface Family {
  readonly name: FamilyName;
  /** The transformers class that builds it. */
  readonly class: string;
  readonly defaults: { readonly [P in Exclude<Property, "layers" | "d_model">]: Default<Shape[P]> };
  /** Properties the class cannot vary freely: the only values it has, or the rule that decides them. */
  readonly fixed: { readonly [P in Property]?: readonly Scalar[] | "derived" };
  readonly before: readonly Tensor[];
  readonly layers: readonly Layer[];
  readonly after: readonly Tensor[];
}
