/** Parameters that one rank holds. */
import type { Layout } from "./layout.ts";
import { matricesOf } from "./matrices.ts";
import type { Block, Shape } from "./shape.ts";

export interface Held {
  /** Replicated over the data-parallel ranks. */
  readonly dense: number;
  /** Of routed experts: replicated over the ranks that hold the same experts. */
  readonly expert: number;
  /** Weights without gradients, replicated like `dense`. */
  readonly frozen?: number;
  /** Of those, tables: they are held in 16 bits where matrices are held in four. */
  readonly tables?: number;
  /** Bytes of optimizer states over those that the parameters' number says, spread like `dense`. */
  readonly moments?: number;
}

export function blockParameters(shape: Shape, block: Block, layout: Layout): Held {
  const own = ownParameters(shape, block, layout);
  const tuned = tunedOf(shape, block);
  if (tuned === undefined) return own;
  return { dense: adapterParameters(tuned, layout), expert: 0, frozen: own.dense + own.expert };
}

/** The adapters of a block whose weights are frozen; `undefined` where its weights are trained. */
export function tunedOf(shape: Shape, block: Block): Block["tuned"] {
  if (block.tuned !== undefined) return block.tuned;
  const { adapters: rank } = shape;
  return rank === undefined ? undefined : { rank, matrices: matricesOf(shape, block) };
}

/** Two narrow matrices beside each matrix; the narrow side is whole on every tensor rank (Hu et al. 2021, arXiv 2106.09685). */
function adapterParameters({ rank, matrices }: NonNullable<Block["tuned"]>, { tensor, expert }: Layout): number {
  return matrices.reduce((sum, { inputs, outputs, split, of }) => {
    const one = (split === "inputs" ? inputs / tensor : inputs) + (split === "outputs" ? outputs / tensor : outputs);
    return sum + rank * one * (of === undefined ? 1 : of.experts / expert);
  }, 0);
}

function ownParameters(shape: Shape, block: Block, layout: Layout): Held {
  if (block.stated !== undefined) {
    const { cut, whole, routed } = block.stated.parameters;
    return { dense: cut / layout.tensor + whole, expert: routed / layout.expert / layout.expert_tensor };
  }
  let dense = 0;
  let expert = 0;
  for (const { inputs, outputs, split, of } of matricesOf(shape, block)) {
    if (of === undefined) dense += (inputs * outputs) / (split === "none" ? 1 : layout.tensor);
    else expert += (of.experts * inputs * outputs) / layout.expert / layout.expert_tensor;
    // A bias is cut with the outputs; that of a product cut by inputs is whole on every rank.
    if (shape.bias && of === undefined) dense += split === "outputs" ? outputs / layout.tensor : outputs;
  }
  const { attention, mixer, ffn, experts } = block;
  const norms = (attention === undefined ? 0 : 1) + (mixer === undefined ? 0 : 1);
  dense += (norms + (ffn === undefined && experts === undefined ? 0 : 1)) * shape.norm * shape.hidden;
  if (attention !== undefined && shape.qk_norm) dense += 2 * shape.norm * attention.head_dim;
  if (attention?.latent !== undefined) dense += attention.latent.kv_rank + attention.latent.q_rank;
  if (mixer !== undefined) {
    const channels = mixer.inner + 2 * mixer.groups * mixer.state;
    dense += ((mixer.conv + 1) * channels + 3 * mixer.heads + mixer.inner) / layout.tensor;
  }
  return { dense, expert };
}

/** Rows of the vocabulary after padding: Megatron and those built like it pad to a multiple of 128 a tensor rank. */
export function paddedVocab(vocab: number, layout: Layout, multiple: number): number {
  const unit = multiple * layout.tensor;
  return Math.ceil(vocab / unit) * unit;
}

export interface Ends {
  /** Parameters of the first and the last stage beside their blocks. */
  readonly first: number;
  readonly last: number;
  /** Those that are frozen while `first` and `last` are trained. */
  readonly frozen: { readonly first: number; readonly last: number };
}

/** The tables of the first and the last stage; a tied table exists on both where they are not the same rank. */
export function endParameters(shape: Shape, layout: Layout, padded: number): Ends {
  const table = (padded * shape.hidden) / layout.tensor;
  const first = table + shape.positions * shape.hidden;
  const head = shape.tied && layout.pipeline === 1 ? 0 : table;
  const norm = shape.norm * shape.hidden;
  if (shape.fixed_tables !== true) return { first, last: head + norm, frozen: { first: 0, last: 0 } };
  const tied = shape.tied ? head : 0;
  return { first: 0, last: head - tied + norm, frozen: { first, last: tied } };
}
