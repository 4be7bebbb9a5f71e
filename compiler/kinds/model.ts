import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { BlockKind, Property } from "../../dsl/kind.ts";
import {
  autoType,
  block,
  bool,
  choice,
  enumeration,
  handleOrAt,
  integer,
  noneType,
  number,
  quantity,
  secret,
  share,
  union,
} from "../../dsl/types/type.ts";
import { familyNames, familyPapers } from "../models/index.ts";
import { most } from "../passes/size/most.ts";
import { isKnown } from "../passes/size/properties.ts";
import { adapters } from "./adapters.ts";
import { controller, memory, readout } from "./model/memory.ts";
import { foreign } from "./model/foreign.ts";
import { mla, moe, rwkv, ssm } from "./model/groups.ts";
import { pattern } from "./model/pattern.ts";
import { auto } from "./model/size.ts";
import { proof } from "./proof.ts";
import { layerKindsValue, shapeValue, sizedValue } from "./model-derived.ts";

const shape = (doc: string, max = 1e9): Property => ({
  type: union(integer({ min: 1, max }), autoType),
  doc,
  bounded: true,
});

const properties: Readonly<Record<string, Property>> = {
  family: {
    type: union({ kind: "enum", name: "family", values: familyNames, docs: familyPapers }, block("plugin")),
    doc: "the architecture: a known one, or a plugin with `role = model`",
    required: true,
  },
  from: {
    type: union({ kind: "path", schemes: ["hf"] }, handleOrAt(["stage"], ["last", "best", "mean"])),
    doc: 'weights to begin with: `"hf://owner/name@revision"`, a folder, a stage\'s checkpoint',
  },
  format: {
    type: {
      kind: "enum",
      name: "format",
      values: ["safetensors", "torch", "nemo", "megatron", "gguf"],
      later: ["nemo", "megatron", "gguf"],
    },
    doc: "format of those weights; by default that of the files",
  },
  verify: { type: proof, doc: "checksum of those weights", runs: false },
  key: { type: union(secret, noneType), doc: "access token for those weights" },
  remote_code: { type: bool, doc: "whether Python code that comes with the weights may run", runs: false },
  size: { type: choice("size", { auto }), doc: "size of the model, if layers and widths are not all given" },
  tokenizer: {
    type: block("tokenizer"),
    doc: "the tokenizer whose vocabulary the embedding holds; usually the data's",
  },
  layers: shape("number of blocks", most.layers),
  d_model: shape("width of the residual stream"),
  heads: shape("attention heads"),
  kv_heads: shape("key and value heads; fewer than `heads` is grouped-query attention"),
  head_dim: shape("width of one head"),
  d_ff: shape("inner width of the feed-forward part"),
  vocab: { type: union(integer({ min: 1 }), autoType), doc: "rows of the embedding table, padding included" },
  context: {
    type: quantity([{ token: 1 }], { integer: true, min: 2 }),
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
  gated: { type: bool, doc: "whether the feed-forward part has a gate (SwiGLU and similar)" },
  qk_norm: { type: bool, doc: "whether queries and keys are normalised" },
  parallel_residual: { type: bool, doc: "whether attention and feed-forward run in parallel" },
  positions: {
    type: enumeration("positions", ["rope", "learned", "alibi", "none"]),
    doc: "kind of position encoding",
  },
  rotary_fraction: { type: share("a head's width"), doc: "how much of a head is rotated" },
  rope_theta: { type: number({ min: 1 }), doc: "base of the rotary frequencies" },
  window: {
    type: quantity([{ token: 1 }], { integer: true, min: 1 }),
    doc: "length of the sliding attention window",
    binary: true,
  },
  norms: { type: integer({ min: 1 }), doc: "normalisations in a layer" },
  pattern: {
    type: pattern,
    doc: "kinds of layers: one letter each (`M` Mamba-2, `*` attention, `-` MLP, `E` experts, `R` RWKV), or a rule: `interleave(rwkv = 3, attention = 1)`",
  },
  dropout: { type: share("activations", { below: 1 }), doc: "how many activations are dropped" },
  init_std: { type: number({ above: 0, max: 1 }), doc: "standard deviation of initial weights" },
  init_scale: { type: number({ above: 0 }), doc: "factor on the family's standard deviation", runs: false },
  head_bias: { type: bool, doc: "whether the output head has a bias", runs: false },
  adapters: { type: union(noneType, adapters), doc: "adapters that belong to the model", runs: false },
};

export const model: BlockKind = {
  name: "model",
  also: ["network", "net", "arch", "architecture", "transformer"],
  doc: "A network: its family, and the properties that differ from the family's published ones",
  begins: ["layers", "d_model", "heads", "context"],
  properties,
  blocks: { moe, mla, ssm, rwkv, controller, memory, readout },
  derived: {
    ...Object.fromEntries(
      Object.entries(properties).flatMap(([name, { doc }]) =>
        isKnown(name) ? [[name, { doc, compute: (block: Instance) => shapeValue(block, name) }]] : [],
      ),
    ),
    parameters: {
      doc: "counts: `total`, `active`, `embedding`, `non_embedding`",
      fields: {
        total: { doc: "all of them" },
        active: { doc: "those that one token uses: a mixture of experts has more in total" },
        embedding: { doc: "of the tables that turn ids into vectors" },
        non_embedding: { doc: "all but the embedding" },
      },
      compute: (block) => sizedValue(block, "parameters"),
    },
    layer_kinds: {
      doc: "the kind of each layer, from the first: `attention`, `mamba`, `mlp`, `moe`, `rwkv`",
      compute: layerKindsValue,
    },
    flops_per_token: {
      doc: "operations of a training step per token: `model`, `hardware`",
      fields: {
        model: { doc: "forward and backward" },
        hardware: { doc: "with what recomputation repeats" },
      },
      compute: (block) => sizedValue(block, "flops_per_token"),
    },
  },
  foreign,
};
