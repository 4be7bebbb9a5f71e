import type { Instance } from "../../dsl/eval/instance.ts";
import type { BlockKind, Constructor, Property } from "../../dsl/kind.ts";
import {
  autoType,
  block,
  bool,
  choice,
  enumeration,
  integer,
  number,
  quantity,
  share,
  union,
} from "../../dsl/types/type.ts";
import { familyNames } from "../models/index.ts";
import { isKnown } from "../passes/size/properties.ts";
import { shapeValue, sizedValue } from "./model-derived.ts";

/** Far above what anybody trains; beyond it the sizer would search for nothing. */
const params = quantity([{ param: 1 }], { min: 1, max: 1e14 });
const within: Property = { type: share("the target"), doc: "how far the count may be off", default: "1%" };

const auto: Constructor = {
  doc: "let the sizer choose layers, width and heads for a number of parameters",
  parameters: {
    total: { type: params, doc: "all parameters" },
    active: { type: params, doc: "parameters that one token passes through" },
    within,
  },
};

const shape = (doc: string): Property => ({ type: union(integer({ min: 1 }), autoType), doc, bounded: true });

const properties: Readonly<Record<string, Property>> = {
  family: { type: enumeration("family", familyNames), doc: "the architecture", required: true },
  size: { type: choice("size", { auto }), doc: "how big, where layers and widths are not given one by one" },
  tokenizer: {
    type: block("tokenizer"),
    doc: "the tokenizer whose vocabulary the embedding holds; usually the data's",
  },
  layers: shape("number of blocks"),
  d_model: shape("width of the residual stream"),
  heads: shape("attention heads"),
  kv_heads: shape("key and value heads; fewer than `heads` is grouped-query attention"),
  head_dim: shape("width of one head"),
  d_ff: shape("inner width of the feed-forward part"),
  vocab: { type: union(integer({ min: 1 }), autoType), doc: "rows of the embedding table, padding included" },
  context: {
    type: quantity([{ token: 1 }], { integer: true, min: 1 }),
    doc: "longest sequence",
    bounded: true,
    binary: true,
  },
  tied: { type: bool, doc: "whether input and output embeddings are one table" },
  bias: { type: bool, doc: "whether linear layers have biases" },
  qkv_bias: { type: bool, doc: "whether query, key and value projections have biases" },
  norm: { type: enumeration("norm", ["rms", "layer"]), doc: "kind of normalisation" },
  norm_eps: { type: number({ min: 0 }), doc: "epsilon of the normalisation" },
  activation: {
    type: enumeration("activation", ["gelu", "gelu_tanh", "relu", "relu2", "silu"]),
    doc: "of the feed-forward part",
  },
  gated: { type: bool, doc: "whether the feed-forward part has a gate (SwiGLU and kin)" },
  qk_norm: { type: bool, doc: "whether queries and keys are normalised" },
  parallel_residual: { type: bool, doc: "attention and feed-forward side by side" },
  positions: { type: enumeration("positions", ["rope", "learned", "alibi", "none"]), doc: "how positions enter" },
  rotary_fraction: { type: share("a head's width"), doc: "how much of a head is rotated" },
  rope_theta: { type: number({ min: 1 }), doc: "base of the rotary frequencies" },
  dropout: { type: share("activations"), doc: "how many activations are dropped" },
  init_std: { type: number({ min: 0 }), doc: "standard deviation of initial weights" },
};

export const model: BlockKind = {
  name: "model",
  doc: "A network: its family, and the properties that differ from what the family's literature says",
  properties,
  derived: {
    ...Object.fromEntries(
      Object.entries(properties).flatMap(([name, { doc }]) =>
        isKnown(name) ? [[name, { doc, compute: (block: Instance) => shapeValue(block, name) }]] : [],
      ),
    ),
    parameters: {
      doc: "counts: `total`, `active`, `embedding`, `non_embedding`",
      compute: (block) => sizedValue(block, "parameters"),
    },
    flops_per_token: {
      doc: "operations of a training step per token: `model`, `hardware`",
      compute: (block) => sizedValue(block, "flops_per_token"),
    },
  },
  foreign: {
    n_layer: { instead: "write `layers`", rewrite: (v) => `layers = ${v}` },
    num_layers: { instead: "write `layers`", rewrite: (v) => `layers = ${v}` },
    num_hidden_layers: { instead: "write `layers`", rewrite: (v) => `layers = ${v}` },
    n_embd: { instead: "write `d_model`", rewrite: (v) => `d_model = ${v}` },
    hidden_size: { instead: "write `d_model`", rewrite: (v) => `d_model = ${v}` },
    n_head: { instead: "write `heads`", rewrite: (v) => `heads = ${v}` },
    num_attention_heads: { instead: "write `heads`", rewrite: (v) => `heads = ${v}` },
    num_key_value_heads: { instead: "write `kv_heads`", rewrite: (v) => `kv_heads = ${v}` },
    intermediate_size: { instead: "write `d_ff`", rewrite: (v) => `d_ff = ${v}` },
    ffn_hidden_size: { instead: "write `d_ff`", rewrite: (v) => `d_ff = ${v}` },
    vocab_size: { instead: "write `vocab`", rewrite: (v) => `vocab = ${v}` },
    max_position_embeddings: { instead: "write `context`", rewrite: (v) => `context = ${v} tokens` },
    seq_length: { instead: "write `context`", rewrite: (v) => `context = ${v} tokens` },
    tie_word_embeddings: { instead: "write `tied`", rewrite: (v) => `tied = ${v}` },
  },
};
