/** Everything that follows from a family's statement: parameters, FLOPs, activation bytes. */
import type { SizedModel } from "../plan.ts";
import type { Condition, Dimension, Extent, Family, Layer, Place, Saved, Shape, Tensor, Width } from "./family.ts";
import { valueAt } from "./shape.ts";

/** The size an extent has in a model; what the model does not have is 0. */
export function extent(shape: Shape, size: Extent): number {
  if (typeof size === "number") return size;
  if (typeof size === "string") return (valueAt(shape, size) as number | undefined) ?? 0;
  if ("sum" in size) return size.sum.reduce<number>((sum, part) => sum + extent(shape, part), 0);
  return size.reduce<number>((product, factor) => product * extent(shape, factor), 1);
}

type When = Tensor["when"];

export function holds(shape: Shape, when: When): boolean {
  if (when === undefined) return true;
  if (typeof when !== "string") return when.every((condition) => met(shape, condition));
  return met(shape, when);
}

function met(shape: Shape, condition: Condition): boolean {
  switch (condition) {
    case "dropout":
      return shape.dropout > 0;
    case "sequential_residual":
      return !shape.parallel_residual;
    case "bias":
    case "qkv_bias":
    case "gated":
    case "qk_norm":
    case "parallel_residual":
      return shape[condition];
    case "moe.router_bias":
      return shape.moe?.router_bias === true;
    default: {
      const [test, value = ""] = condition.split(":");
      if (test === "has") return extent(shape, value as Dimension) > 0;
      if (test === "no") return extent(shape, value as Dimension) === 0;
      return String(valueAt(shape, test as "norms" | "activation" | "positions")) === value;
    }
  }
}

/** How many layers of a model stand at a place. */
export function repeatOf(shape: Shape, place: Place): number {
  if (place === "layers") return shape.layers;
  if (place.startsWith("letter:")) return (shape.pattern ?? "").split(place.slice("letter:".length)).length - 1;
  const { first_dense: first = 0, every = 1 } = shape.moe ?? {};
  // Every `every`th layer has experts, those below `first_dense` excepted.
  const experts = Math.floor(shape.layers / every) - Math.floor(Math.min(first, shape.layers) / every);
  return place === "moe" ? experts : shape.layers - experts;
}

/** The kind of layer at an index, from 0. */
export function layerAt(family: Family, shape: Shape, index: number): Layer | undefined {
  const { first_dense: first = 0, every = 1 } = shape.moe ?? {};
  const experts = index >= first && (index + 1) % every === 0;
  return family.layers.find(
    ({ place }) =>
      place === "layers" ||
      (place === "moe" && experts) ||
      (place === "dense" && !experts) ||
      place === `letter:${shape.pattern?.[index] ?? ""}`,
  );
}

/** The kinds of layer that a model has, with how many there are of each. */
export function layersOf(family: Family, shape: Shape): { layer: Layer; repeat: number }[] {
  return family.layers
    .map((layer) => ({ layer, repeat: repeatOf(shape, layer.place) }))
    .filter(({ repeat }) => repeat > 0);
}

/** A tensor of one model: where it lives, how often it repeats and what it multiplies. */
export interface CountedTensor {
  readonly tensor: Tensor;
  readonly repeat: number;
  /** Elements of one instance. */
  readonly elements: number;
  /** Those of them that one token passes through: all, or `top_k` of the experts. */
  readonly active: number;
  /** A tied head computes but owns nothing. */
  readonly owned: boolean;
}

export function tensorsOf(family: Family, shape: Shape): CountedTensor[] {
  return [
    ...countedIn(family.before, shape),
    ...layersOf(family, shape).flatMap(({ layer, repeat }) => countedIn(layer.tensors, shape, repeat)),
    ...countedIn(family.after, shape),
  ];
}

function countedIn(tensors: readonly Tensor[], shape: Shape, repeat = 1): CountedTensor[] {
  const routed = shape.moe === undefined ? 1 : Math.min(1, shape.moe.top_k / shape.moe.experts);
  return tensors
    .filter(({ when }) => holds(shape, when))
    .map((tensor) => {
      const elements = extent(shape, tensor.shape);
      return {
        tensor,
        repeat,
        elements,
        active: tensor.routed === true ? elements * routed : elements,
        owned: !(tensor.role === "head" && shape.tied),
      };
    });
}

/** Parameters of one layer of a kind, or of what stands around the layers. */
export interface Part extends Omit<SizedModel["parameters"], "non_embedding"> {
  readonly place: Place | null;
}

/** The same of all parts of a model, which its number of layers does not change. */
export function partsOf(family: Family, shape: Shape): Part[] {
  const part = (place: Place | null, tensors: readonly Tensor[]): Part => {
    let [total, active, embedding] = [0, 0, 0];
    for (const { tensor, elements, active: used, owned } of countedIn(tensors, shape)) {
      if (!owned) continue;
      total += elements;
      active += used;
      if (tensor.role === "embedding" || tensor.role === "positions" || tensor.role === "head") embedding += elements;
    }
    return { place, total, active, embedding };
  };
  return [
    part(null, [...family.before, ...family.after]),
    ...family.layers.map(({ place, tensors }) => part(place, tensors)),
  ];
}

/**
 * Exact counts, as the published checkpoints hold them. `active` is what one token passes through, tables included;
 * `non_embedding` leaves out every table and the head.
 */
export function parametersOf(
  family: Family,
  shape: Shape,
  parts: readonly Part[] = partsOf(family, shape),
): SizedModel["parameters"] {
  let [total, active, embedding] = [0, 0, 0];
  for (const part of parts) {
    const repeat = part.place === null ? 1 : repeatOf(shape, part.place);
    total += repeat * part.total;
    active += repeat * part.active;
    embedding += repeat * part.embedding;
  }
  return { total, active: Math.round(active), embedding, non_embedding: total - embedding };
}

/** What the optimizer moves: all but buffers. A module's own count, too. */
export function trainableOf(family: Family, shape: Shape): number {
  return tensorsOf(family, shape)
    .filter(({ owned, tensor }) => owned && tensor.buffer !== true)
    .reduce((sum, { repeat, elements }) => sum + repeat * elements, 0);
}

/** Elements of the largest layer: what ZeRO-3 gathers at once. */
export function layerParametersOf(family: Family, shape: Shape): number {
  const sizes = layersOf(family, shape).map(({ layer }) =>
    layer.tensors
      .filter((tensor) => holds(shape, tensor.when))
      .reduce((sum, tensor) => sum + extent(shape, tensor.shape), 0),
  );
  return Math.max(...sizes);
}

/** Tokens that a token attends to, on average over a causal sequence, twice: all of it or a window. */
export function reachOf(shape: Shape, layer: Layer, sequence: number): number {
  const window = layer.windowed === true ? (shape.window ?? 0) : 0;
  return window === 0 || window >= sequence ? sequence : 2 * window - (window * window) / sequence;
}

/** What a layer computes beside its matrices, forward and per token: the attention core, the scan of a recurrence. */
export function coreFlopsOf(shape: Shape, layer: Layer, sequence: number): number {
  const attention = 2 * reachOf(shape, layer, sequence) * extent(shape, layer.attention ?? 0);
  return attention + extent(shape, layer.scan ?? 0);
}

/** The recurrence of a layer as its class computes it without a kernel, in figures. */
export function plainScanOf(
  shape: Shape,
  { plainly }: Layer,
): { readonly flops: number; readonly launches: number; readonly pairs: number } | undefined {
  if (plainly === undefined) return undefined;
  const { flops, launches = 0, pairs = 0 } = plainly;
  return { flops: extent(shape, flops), launches, pairs: extent(shape, pairs) };
}

/**
 * FLOPs of a forward pass, per token at sequence length `sequence`: two for each element of each matrix that the token
 * passes through, plus the attention core `4 * sequence * width` halved because half of the scores are masked (the
 * convention of Megatron-LM, training/training.py, num_floating_point_operations; PaLM, arXiv 2204.02311, appendix B,
 * counts the whole core), plus the scan of a recurrence.
 */
export function forwardFlopsPerToken(family: Family, shape: Shape, sequence: number): number {
  const matrices = tensorsOf(family, shape)
    .filter(({ tensor }) => tensor.role === "matrix" || tensor.role === "head")
    .reduce((sum, { repeat, active }) => sum + 2 * repeat * active, 0);
  const cores = layersOf(family, shape).reduce(
    (sum, { layer, repeat }) => sum + repeat * coreFlopsOf(shape, layer, sequence),
    0,
  );
  return matrices + cores;
}

/** A training step costs three forward passes a token; full recomputation repeats the layers' forward once more, selective the attention core. */
export function flopsPerToken(
  family: Family,
  shape: Shape,
  sequence: number,
  recompute: "none" | "selective" | "full",
  /** Of `full`, the part of the layers that run again. */
  share = 1,
): SizedModel["flops_per_token"] {
  const forward = forwardFlopsPerToken(family, shape, sequence);
  const head = 2 * shape.d_model * shape.vocab;
  const model = 3 * forward;
  if (recompute === "none") return { model, hardware: model };
  if (recompute === "full") return { model, hardware: model + share * (forward - head) };
  const cores = layersOf(family, shape).reduce(
    (sum, { layer, repeat }) => sum + repeat * coreFlopsOf(shape, layer, sequence),
    0,
  );
  return { model, hardware: model + cores };
}

/** How wide values are while a precision runs: bytes per element. */
export interface Widths {
  readonly compute: number;
  readonly residual: number;
  /** Of the stream, where norms widen what they read of it. */
  readonly stream?: number;
  /** CUDA's autocast is on: it widens what powers read, which that of CPUs does not. */
  readonly promotes?: true;
}

/** Under CUDA's autocast, which runs LayerNorm in 32 bits however narrow the stream is. */
export function widthsOnCards({ narrowNorms }: Family, { norm }: Shape, compute: number, stream: number): Widths {
  const normed = narrowNorms === true ? compute : norm === "layer" ? 4 : stream;
  return { compute, residual: normed, stream, promotes: true };
}

function bytesOf(width: Width, widths: Widths): number {
  if (typeof width === "object") return width[widths.compute === 4 ? 0 : widths.residual > widths.compute ? 1 : 2];
  const { stream = widths.residual } = widths;
  switch (width) {
    case "stream":
      return stream;
    case "recast":
      return stream > widths.compute ? widths.compute : 0;
    case "widened":
      return stream < widths.residual ? widths.residual : 0;
    case "compute":
      return widths.compute;
    case "residual":
      return widths.residual;
    case "cast":
      return widths.residual > widths.compute ? widths.compute : 0;
    case "wide":
      return widths.residual < 4 ? 4 : 0;
    case "promoted":
      return widths.promotes === true && widths.compute < 4 ? 4 : 0;
    default:
      return width;
  }
}

interface Attending {
  readonly materialised: boolean;
  /** It is PyTorch's own fused attention. */
  readonly masked?: boolean;
  readonly sequence: number;
}

/** Bytes one layer keeps for the backward pass, per token of the micro-batch; of the kind that keeps most. */
export function savedBytesPerToken(family: Family, shape: Shape, widths: Widths, attention: Attending): number {
  return Math.max(...layersOf(family, shape).map(({ layer }) => savedBytesOf(layer, shape, widths, attention)));
}

/** The same for one kind of layer. */
export function savedBytesOf(layer: Layer, shape: Shape, widths: Widths, attention: Attending): number {
  const bytes = (saved: Saved): number => {
    if (!holds(shape, saved.when)) return 0;
    if (saved.scores === true && !attention.materialised) return 0;
    if (saved.masked === true && (attention.materialised || attention.masked !== true)) return 0;
    const { sequence } = attention;
    const rows = saved.rows === undefined ? 1 : saved.rows(sequence, shape) / sequence;
    const each = rows * bytesOf(saved.width, widths) * extent(shape, saved.size);
    return saved.scores === true ? each * sequence : each;
  };
  return layer.saved.reduce((sum, saved) => sum + bytes(saved), 0);
}
