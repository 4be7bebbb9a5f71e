/** Everything that follows from a family's statement: parameters, FLOPs, activation bytes. */
import type { SizedModel } from "../plan.ts";
import type { Condition, Extent, Family, Saved, Shape, Tensor, Width } from "./family.ts";

/** The size an extent has in a model. */
export function extent(shape: Shape, size: Extent): number {
  if (typeof size === "number") return size;
  if (typeof size === "string") return shape[size];
  return size.reduce<number>((product, factor) => product * extent(shape, factor), 1);
}

export function holds(shape: Shape, when: Condition | undefined): boolean {
  switch (when) {
    case undefined:
      return true;
    case "untied":
      return !shape.tied;
    case "dropout":
      return shape.dropout > 0;
    case "sequential_residual":
      return !shape.parallel_residual;
    case "bias":
    case "qkv_bias":
    case "gated":
    case "parallel_residual":
      return shape[when];
    default:
      return shape.activation === when.slice("activation:".length);
  }
}

/** A tensor of one model: where it lives, how often it repeats and what it multiplies. */
export interface CountedTensor {
  readonly tensor: Tensor;
  readonly repeat: number;
  /** Elements of one instance. */
  readonly elements: number;
  /** A tied head computes but owns nothing. */
  readonly owned: boolean;
}

export function tensorsOf(family: Family, shape: Shape): CountedTensor[] {
  const count = (tensor: Tensor, repeat: number): CountedTensor => ({
    tensor,
    repeat,
    elements: extent(shape, tensor.shape),
    owned: !(tensor.role === "head" && shape.tied),
  });
  return [
    ...family.before.map((tensor) => count(tensor, 1)),
    ...family.layers.flatMap((layer) => layer.tensors.map((tensor) => count(tensor, shape[layer.repeat]))),
    ...family.after.map((tensor) => count(tensor, 1)),
  ].filter(({ tensor }) => holds(shape, tensor.when));
}

/** Exact counts, as the transformers class builds the module. `non_embedding` leaves out every table and the head. */
export function parametersOf(family: Family, shape: Shape): SizedModel["parameters"] {
  let total = 0;
  let embedding = 0;
  for (const { tensor, repeat, elements, owned } of tensorsOf(family, shape)) {
    if (!owned) continue;
    total += repeat * elements;
    if (tensor.role === "embedding" || tensor.role === "positions" || tensor.role === "head") {
      embedding += repeat * elements;
    }
  }
  return { total, active: total, embedding, non_embedding: total - embedding };
}

/** Elements of the largest layer: what ZeRO-3 gathers at once. */
export function layerParametersOf(family: Family, shape: Shape): number {
  const sizes = family.layers.map((layer) =>
    layer.tensors
      .filter((tensor) => holds(shape, tensor.when))
      .reduce((sum, tensor) => sum + extent(shape, tensor.shape), 0),
  );
  return Math.max(...sizes);
}

/**
 * FLOPs of a forward pass, per token at sequence length `sequence`: two for each element of each matrix, plus the
 * attention core `4 * sequence * width` halved because half of the scores are masked (the convention of Megatron-LM,
 * training/training.py, num_floating_point_operations; PaLM, arXiv 2204.02311, appendix B, counts the whole core).
 */
export function forwardFlopsPerToken(family: Family, shape: Shape, sequence: number): number {
  const matrices = tensorsOf(family, shape)
    .filter(({ tensor }) => tensor.role === "matrix" || tensor.role === "head")
    .reduce((sum, { repeat, elements }) => sum + 2 * repeat * elements, 0);
  const core = family.layers.reduce(
    (sum, layer) => sum + shape[layer.repeat] * 2 * sequence * extent(shape, layer.attention),
    0,
  );
  return matrices + core;
}

/** A training step costs three forward passes a token; full recomputation repeats the layers' forward once more. */
export function flopsPerToken(
  family: Family,
  shape: Shape,
  sequence: number,
  recompute: "none" | "selective" | "full",
): SizedModel["flops_per_token"] {
  const forward = forwardFlopsPerToken(family, shape, sequence);
  const head = 2 * shape.d_model * shape.vocab;
  const model = 3 * forward;
  return { model, hardware: recompute === "none" ? model : model + forward - head };
}

/** How wide values are while a precision runs: bytes per element. */
export interface Widths {
  readonly compute: number;
  readonly residual: number;
}

function bytesOf(width: Width, widths: Widths): number {
  switch (width) {
    case "compute":
      return widths.compute;
    case "residual":
      return widths.residual;
    case "cast":
      return widths.residual > widths.compute ? widths.compute : 0;
    case "wide":
      return widths.residual < 4 ? 4 : 0;
    default:
      return width;
  }
}

/** Bytes one layer keeps for the backward pass, per token of the micro-batch. */
export function savedBytesPerToken(
  family: Family,
  shape: Shape,
  widths: Widths,
  attention: { readonly materialised: boolean; readonly sequence: number },
): number {
  const bytes = (saved: Saved): number => {
    if (!holds(shape, saved.when)) return 0;
    if (saved.scores === true && !attention.materialised) return 0;
    const each = bytesOf(saved.width, widths) * extent(shape, saved.size);
    return saved.scores === true ? each * attention.sequence : each;
  };
  return Math.max(...family.layers.map((layer) => layer.saved.reduce((sum, saved) => sum + bytes(saved), 0)));
}
