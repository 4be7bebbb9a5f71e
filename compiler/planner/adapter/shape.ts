/** A sized model as the physics reads it. */
import type { Family, Layer, Tensor } from "../../models/family.ts";
import {
  extent,
  holds,
  layerAt,
  plainScanOf,
  savedBytesOf,
  widthsOnCards,
  type Widths,
} from "../../models/measure.ts";
import type { TuningSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import type { Matrix } from "../physics/matrices.ts";
import type { Block, ModuleKept, Shape, Stated } from "../physics/shape.ts";
import { frozenLayers, unreachedLayers } from "./frozen-layers.ts";
import { isAdapted, namesOf } from "./parts.ts";

interface Known {
  readonly compute: number;
  readonly sequence: number;
  readonly tuning: TuningSpec | undefined;
  readonly shape: Shape;
}

/** A model is planned on many numbers of nodes: what follows from it alone is made once. */
const known = new WeakMap<SizedModel, Known[]>();

/** `compute`: bytes of an element in which the engine runs the products of the family's own modules. */
export function shapeOf(
  family: Family,
  model: SizedModel,
  compute: number,
  sequence: number,
  tuning?: TuningSpec,
): Shape {
  const before = known.get(model) ?? [];
  const found = before.find((one) => one.tuning === tuning && one.sequence === sequence && one.compute === compute);
  if (found !== undefined) return found.shape;
  const shape = made(family, model, compute, sequence, tuning);
  known.set(model, [...before, { compute, sequence, tuning, shape }]);
  return shape;
}

function made(
  family: Family,
  model: SizedModel,
  compute: number,
  sequence: number,
  tuning: TuningSpec | undefined,
): Shape {
  // Equal layers are one block: the physics counts them by identity.
  const trained = new Map<Layer, Block>();
  const fixed = new Map<Layer, Block>();
  const freeze = tuning?.freeze ?? null;
  const adapters = tuning?.adapters ?? null;
  const below = frozenLayers(freeze, model.layers);
  const isReached = unreachedLayers(family, tuning, model.layers) === 0;
  const blockAt = (index: number): Block => {
    const layer = layerAt(family, model, index);
    if (layer === undefined) return {};
    const blocks = index < below ? fixed : trained;
    const before = blocks.get(layer);
    if (before !== undefined) return before;
    const isFrozen = index < below;
    const block = blockOf(
      family,
      layer,
      model,
      compute,
      sequence,
      isFrozen ? nothing : adapters,
      adapters === null ? 4 : compute,
    );
    const made: Block = isFrozen && !isReached ? { ...block, unreached: true } : block;
    blocks.set(layer, made);
    return made;
  };
  return {
    hidden: model.d_model,
    vocab: model.vocab,
    tied: model.tied,
    positions: model.positions === "learned" ? model.context : 0,
    norm: model.norm === "rms" ? 1 : 2,
    bias: model.bias,
    qk_norm: model.qk_norm,
    dropout: model.dropout > 0,
    ...(adapters === null ? {} : { adapters: adapters.rank }),
    ...(freeze?.tables === true && adapters === null ? { fixed_tables: true } : {}),
    blocks: Array.from({ length: model.layers }, (_, index) => blockAt(index)),
  };
}

/** Adapters of a block that has none and whose weights are frozen. */
const nothing: Adapters = { rank: 0, targets: [] };

type Adapters = Pick<NonNullable<TuningSpec["adapters"]>, "rank" | "targets"> & { readonly dropout?: number };

function blockOf(
  family: Family,
  layer: Layer,
  model: SizedModel,
  compute: number,
  sequence: number,
  adapters: Adapters | null,
  /** Bytes of an element of the stream under DDP: where adapters stand beside it, all that is frozen lies in the type of products. */
  stream: number,
): Block {
  const tensors = layer.tensors.filter(({ when }) => holds(model, when));
  const { moe, mla, ssm, heads, kv_heads, head_dim } = model;
  const window = layer.windowed === true ? (model.window ?? 0) : 0;
  const has = (test: (tensor: Tensor) => boolean): boolean => tensors.some(test);
  return {
    ...(layer.attention === undefined
      ? {}
      : {
          attention: {
            heads,
            kv_heads,
            head_dim,
            ...(window > 0 ? { window } : {}),
            ...(mla === undefined ? {} : { latent: mla }),
          },
        }),
    ...(ssm?.kind === "mamba2" && has(({ shape }) => mentions(shape, "ssm.heads"))
      ? {
          mixer: {
            inner: (ssm.heads ?? 0) * (ssm.head_dim ?? 0),
            state: ssm.state,
            groups: ssm.groups ?? 1,
            heads: ssm.heads ?? 0,
            conv: ssm.conv,
          },
        }
      : {}),
    ...(has(({ routed, shape }) => routed !== true && mentions(shape, "d_ff"))
      ? { ffn: { width: model.d_ff, gated: model.gated } }
      : {}),
    ...(moe !== undefined && has(({ routed }) => routed === true)
      ? {
          experts: {
            experts: moe.experts,
            top_k: moe.top_k,
            width: moe.d_ff,
            gated: model.gated,
            shared: (moe.shared_experts ?? 0) * (moe.shared_d_ff ?? 0),
          },
        }
      : {}),
    stated: statedOf(family, layer, tensors, model, compute, sequence, adapters, stream),
    ...(adapters === null ? {} : { tuned: { rank: adapters.rank, matrices: adaptedOf(tensors, adapters, model) } }),
  };
}

/** What only adapters read of it they read each in a copy of its own: what autocast makes of it, or their dropout. */
function copiedFor(
  layer: Layer,
  tensors: readonly Tensor[],
  { dropout = 0, ...adapters }: Adapters,
  model: SizedModel,
  compute: number,
): { readonly shared: Layer; readonly bytes: number } {
  const shared = { ...layer, saved: layer.saved.filter(({ name }) => !readers.some(([saved]) => saved.test(name))) };
  const read = tensors
    .filter((tensor) => tensor.role === "matrix" && tensor.routed !== true && adapts(adapters, tensor))
    // The activation's output is counted with what activations keep.
    .filter((tensor) => model.gated || !namesOf(tensor).has("down"))
    .reduce((sum, { shape }) => sum + extent(model, shape[0] ?? 1), 0);
  return { shared, bytes: (compute + (dropout > 0 ? 1 : 0)) * read };
}

const adapts = ({ targets }: Adapters, tensor: Tensor): boolean => isAdapted(tensor, targets);

function adaptedOf(tensors: readonly Tensor[], adapters: Adapters, model: SizedModel): readonly Matrix[] {
  return tensors
    .filter((tensor) => tensor.role === "matrix" && adapts(adapters, tensor))
    .map((tensor) => matrixOf(tensor, tensor.split?.indexOf("tensor") ?? -1, model));
}

/** What only the gradient of a matrix reads, by a matrix's parts. */
const readers: readonly (readonly [saved: RegExp, parts: readonly string[]])[] = [
  [/^input of attention$|autocast makes for keys/, ["q", "k", "v"]],
  [/^input of the MLP$|autocast makes for the gate/, ["gate", "up"]],
  [/^gated product$/, ["down"]],
  [/: normalised, for its scale$/, []],
];

/** A frozen matrix keeps no input: its own gradient is not wanted, and that of its input reads the weight alone. */
function withoutUnread(layer: Layer, tensors: readonly Tensor[], adapters: Adapters): Layer {
  const adapted = new Set(tensors.filter((one) => adapts(adapters, one)).flatMap((one) => [...namesOf(one)]));
  const isRead = ({ name }: Layer["saved"][number]): boolean =>
    readers.every(([saved, parts]) => !saved.test(name) || parts.some((part) => adapted.has(part)));
  return { ...layer, saved: layer.saved.filter(isRead) };
}

function statedOf(
  family: Family,
  layer: Layer,
  tensors: readonly Tensor[],
  model: SizedModel,
  compute: number,
  sequence: number,
  adapters: Adapters | null,
  stream: number,
): Stated {
  const parameters = { cut: 0, whole: 0, routed: 0 };
  const matrices: Matrix[] = [];
  for (const tensor of tensors) {
    const elements = extent(model, tensor.shape);
    const axis = tensor.split?.indexOf("tensor") ?? -1;
    parameters[tensor.routed === true ? "routed" : axis >= 0 ? "cut" : "whole"] += elements;
    if (tensor.role === "matrix") matrices.push(matrixOf(tensor, axis, model));
  }
  const kept = (widths: Widths, areOwn: boolean): ModuleKept => {
    if (adapters === null) return keptOf(layer, model, widths, sequence);
    const narrow = adapters.rank * adaptedOf(tensors, adapters, model).reduce((sum, one) => sum + uses(one), 0);
    const { shared, bytes } = copiedFor(layer, tensors, adapters, model, compute);
    const found = keptOf(areOwn ? shared : withoutUnread(layer, tensors, adapters), model, widths, sequence);
    return { ...found, inner: found.inner + compute * narrow + (areOwn ? bytes : 0) };
  };
  const own = (adapters?.dropout ?? 0) > 0;
  const plainly = plainScanOf(model, layer);
  return {
    parameters,
    module: {
      matrices,
      wide: kept(widthsOnCards(family, model, compute, stream), true),
      cast: kept(widthsOnCards(family, model, compute, compute), own),
      narrow: kept({ compute, residual: compute }, own),
    },
    scan: extent(model, layer.scan ?? 0),
    ...(plainly === undefined ? {} : { plainly }),
  };
}

function keptOf(layer: Layer, model: SizedModel, widths: Widths, sequence: number): ModuleKept {
  const flash = { materialised: false, sequence };
  const ofStream = { ...layer, saved: layer.saved.filter(({ size }) => size === "d_model") };
  const stream = savedBytesOf(ofStream, model, widths, flash);
  const all = savedBytesOf(layer, model, widths, flash);
  const scored = savedBytesOf(layer, model, widths, { materialised: true, sequence });
  const masked = savedBytesOf(layer, model, widths, { ...flash, masked: true });
  return { stream, inner: all - stream, scores: (scored - all) / sequence, masks: (masked - all) / sequence };
}

function matrixOf({ name, shape, routed }: Tensor, axis: number, model: SizedModel): Matrix {
  const last = shape.length - 1;
  return {
    name,
    inputs: extent(model, shape[last - 1] ?? 1),
    outputs: extent(model, shape[last] ?? 1),
    split: axis < 0 ? "none" : axis === last ? "outputs" : "inputs",
    ...(routed === true && model.moe !== undefined
      ? { of: { experts: model.moe.experts, top_k: model.moe.top_k } }
      : {}),
  };
}

/** Instances of it that a token passes through. */
export const uses = ({ of }: Matrix): number => of?.top_k ?? 1;

const mentions = (shape: Tensor["shape"], property: string): boolean =>
  JSON.stringify(shape).includes(`"${property}"`);
