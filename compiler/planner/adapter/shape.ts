/** A sized model as the physics reads it. */
import type { Family, Layer, Tensor } from "../../models/family.ts";
import { extent, holds, layerAt, savedBytesOf, type Widths } from "../../models/measure.ts";
import type { SizedModel } from "../../plan.ts";
import type { Matrix } from "../physics/matrices.ts";
import type { Block, Shape, Stated } from "../physics/shape.ts";

/** `widths`: in which the engine runs the family's own modules. */
export function shapeOf(family: Family, model: SizedModel, widths: Widths): Shape {
  const blocks = new Map<Layer, Block>();
  const blockAt = (index: number): Block => {
    const layer = layerAt(family, model, index);
    if (layer === undefined) return {};
    // Equal layers are one block: the physics counts them by identity.
    const block = blocks.get(layer) ?? blockOf(layer, model, widths);
    blocks.set(layer, block);
    return block;
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
    blocks: Array.from({ length: model.layers }, (_, index) => blockAt(index)),
  };
}

function blockOf(layer: Layer, model: SizedModel, widths: Widths): Block {
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
    stated: statedOf(layer, tensors, model, widths),
  };
}

function statedOf(layer: Layer, tensors: readonly Tensor[], model: SizedModel, widths: Widths): Stated {
  const parameters = { cut: 0, whole: 0, routed: 0 };
  const matrices: Matrix[] = [];
  for (const tensor of tensors) {
    const elements = extent(model, tensor.shape);
    const axis = tensor.split?.indexOf("tensor") ?? -1;
    parameters[tensor.routed === true ? "routed" : axis >= 0 ? "cut" : "whole"] += elements;
    if (tensor.role === "matrix") matrices.push(matrixOf(tensor, axis, model));
  }
  const flash = { materialised: false, sequence: 1 };
  const stream = savedBytesOf(
    { ...layer, saved: layer.saved.filter(({ size }) => size === "d_model") },
    model,
    widths,
    flash,
  );
  const all = savedBytesOf(layer, model, widths, flash);
  const scored = savedBytesOf(layer, model, widths, { materialised: true, sequence: 1 });
  return {
    parameters,
    module: { matrices, stream, inner: all - stream, scores: scored - all },
    scan: extent(model, layer.scan ?? 0),
  };
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

const mentions = (shape: Tensor["shape"], property: string): boolean =>
  JSON.stringify(shape).includes(`"${property}"`);
