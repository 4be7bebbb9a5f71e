import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { BlockKind, Constructor, Property } from "../../dsl/kind.ts";
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
import { unknown } from "../../dsl/types/value.ts";
import { familyNames, familyPapers } from "../models/index.ts";
import type { Group } from "../models/family.ts";
import { most } from "../passes/size/most.ts";
import { isKnown } from "../passes/size/properties.ts";
import { adapters } from "./adapters.ts";
import { controller, memory, readout } from "./model/memory.ts";
import { pattern } from "./model/pattern.ts";
import { proof } from "./proof.ts";
import { hasGroup, layerKindsValue, shapeValue, sizedValue } from "./model-derived.ts";

/** Far above what anybody trains; beyond it the sizer would search for nothing. */
const params = quantity([{ param: 1 }], { min: 1, max: most.parameters });
const within: Property = { type: share("the target"), doc: "tolerance of the count", default: "1%" };

/** What a model says of its shape stands beside its size, pinned or bounded. */
const besideSize = (name: string): string =>
  `\`${name}\` beside \`size\`, in the model: it fixes one property, and the sizer chooses the rest`;

const auto: Constructor = {
  doc: "let the sizer choose layers, width and heads for a number of parameters, or for a budget",
  parameters: {
    total: { type: params, doc: "all parameters" },
    active: { type: params, doc: "parameters that one token passes through; with `total`, experts make up the rest" },
    tokens: {
      type: quantity([{ token: 1 }], { min: 1 }),
      doc: "tokens of the training, for the compute-optimal size",
    },
    compute: {
      type: quantity([{ flop: 1 }], { min: 1 }),
      doc: "FLOPs of the whole training, for the compute-optimal size",
    },
    gpu_hours: {
      type: quantity([{ second: 1 }], { min: 1 }),
      doc: "device-hours on `on`, for the compute-optimal size",
    },
    cost: {
      type: quantity([{ usd: 1 }], { min: 0 }),
      doc: "price of the training on `on`, for the compute-optimal size",
    },
    time: {
      type: quantity([{ second: 1 }], { min: 1 }),
      doc: "hours of the whole cluster `on`, for the compute-optimal size",
    },
    on: { type: block("cluster"), doc: "the cluster that `gpu_hours`, `cost` and `time` refer to" },
    use: {
      type: share("the devices' peak"),
      doc: "utilization of the devices' peak; by default that of the plan of the model's stage",
    },
    ratio: { type: quantity([{ token: 1, param: -1 }], { min: 0 }), doc: "tokens for each parameter of a budget" },
    within,
  },
  foreign: Object.fromEntries(
    ["layers", "d_model", "heads", "kv_heads", "head_dim", "d_ff", "vocab", "context"].map((name) => [
      name,
      besideSize(name),
    ]),
  ),
};

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
  init_std: { type: number({ min: 0, max: 1 }), doc: "standard deviation of initial weights" },
  init_scale: { type: number({ min: 0 }), doc: "factor on the family's standard deviation", runs: false },
  head_bias: { type: bool, doc: "whether the output head has a bias", runs: false },
  adapters: { type: union(noneType, adapters), doc: "adapters that belong to the model", runs: false },
};

const whole = (doc: string, min = 1): Property => ({ type: integer({ min }), doc, bounded: true });

/** A group whose figures the family gives where nobody writes them. */
const ofFamily = (group: BlockKind & { readonly name: Group }): BlockKind => ({
  ...group,
  held: (model) => hasGroup(model, group.name),
  derived: Object.fromEntries(
    Object.entries(group.properties).flatMap(([name, { doc }]) => {
      const path = `${group.name}.${name}`;
      if (!isKnown(path)) return [];
      return [
        [name, { doc, compute: ({ parent }: Instance) => (parent === null ? unknown : shapeValue(parent, path)) }],
      ];
    }),
  ),
});

const moe: BlockKind = ofFamily({
  name: "moe",
  doc: "Experts instead of the feed-forward part",
  properties: {
    experts: whole("experts of a layer, of which a router picks some for each token"),
    top_k: whole("experts that each token passes through"),
    d_ff: whole("inner width of one expert"),
    shared_experts: whole("experts that every token passes through", 0),
    shared_d_ff: whole("inner width of one shared expert"),
    first_dense: whole("layers at the start that have one feed-forward part and no experts", 0),
    every: whole("of each group of this number of layers, the last has experts"),
    capacity: {
      type: number({ min: 0 }),
      doc: "capacity of an expert relative to an even share of the tokens; tokens beyond it skip the expert",
      runs: false,
    },
    router_bias: { type: bool, doc: "whether the router has a bias per expert" },
    aux_loss: { type: number({ min: 0 }), doc: "weight of the loss that balances the experts" },
  },
  foreign: Object.fromEntries(
    Object.entries({
      experts: ["n_experts", "num_experts", "num_local_experts", "n_routed_experts", "num_moe_experts", "routed"],
      top_k: ["num_experts_per_tok", "moe_router_topk", "topk", "k", "active", "active_experts"],
      d_ff: ["d_expert", "expert_ff", "expert_hidden", "moe_intermediate_size", "intermediate_size", "hidden"],
      shared_experts: ["shared", "n_shared_experts", "num_shared_experts"],
      shared_d_ff: ["shared_expert_intermediate_size", "shared_intermediate_size"],
      capacity: ["capacity_factor", "expert_capacity_factor"],
      aux_loss: ["aux_loss_coef", "router_aux_loss_coef", "load_balance_weight"],
    }).flatMap(([here, there]) =>
      there.map((written) => [written, { instead: `write \`${here}\``, rewrite: (v: string) => `${here} = ${v}` }]),
    ),
  ),
});

const mla: BlockKind = ofFamily({
  name: "mla",
  doc: "Multi-head latent attention: keys and values come from a narrow vector per token",
  properties: {
    q_rank: whole("width of the queries' latent vector; 0 projects them directly", 0),
    kv_rank: whole("width of the latent vector of keys and values"),
    nope_dim: whole("part of a head without positions"),
    rope_dim: whole("part of a head that is rotated"),
    v_dim: whole("width of a head's values"),
  },
});

const ssm: BlockKind = ofFamily({
  name: "ssm",
  doc: "State-space layers",
  properties: {
    kind: { type: enumeration("state space", ["mamba", "mamba2"]), doc: "which recurrence" },
    state: whole("states of each channel"),
    groups: whole("groups of heads that share B and C"),
    heads: whole("heads of the recurrence"),
    head_dim: whole("width of one of its heads"),
    conv: whole("reach of the short convolution"),
    expand: { type: number({ above: 0 }), doc: "inner width over the model's" },
    dt_rank: whole("rank of the step size's projection"),
  },
});

const rwkv: BlockKind = ofFamily({
  name: "rwkv",
  doc: "RWKV-7 layers",
  properties: {
    head_dim: whole("width of a head, and of its square state"),
    decay_rank: whole("rank of the decay's projection"),
    rate_rank: whole("rank of the in-context learning rate's projection"),
    value_rank: whole("rank of the projection that mixes in the first layer's values"),
    gate_rank: whole("rank of the output gate's projection"),
  },
});

const names: Readonly<Record<string, readonly string[]>> = {
  layers: ["n_layer", "n_layers", "num_layers", "num_hidden_layers"],
  d_model: ["n_embd", "hidden_size", "dim"],
  heads: ["n_head", "n_heads", "num_heads", "num_attention_heads"],
  kv_heads: ["n_kv_heads", "num_key_value_heads", "num_query_groups"],
  head_dim: ["kv_channels"],
  d_ff: ["n_inner", "intermediate_size", "ffn_hidden_size", "ffn_dim"],
  vocab: ["vocab_size"],
  activation: ["hidden_act", "activation_function"],
  norm_eps: ["rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon"],
  init_std: ["initializer_range"],
};
const lengths = [
  "max_position_embeddings",
  "seq_length",
  "seq_len",
  "max_seq_len",
  "n_ctx",
  "n_positions",
  "block_size",
];
const groups: Readonly<Record<string, readonly string[]>> = {
  experts: ["experts", "n_experts", "num_experts", "num_local_experts", "n_routed_experts", "num_moe_experts"],
  top_k: ["top_k", "num_experts_per_tok", "moe_router_topk"],
};
const each = (
  table: Readonly<Record<string, readonly string[]>>,
  meant: (here: string) => NonNullable<BlockKind["foreign"]>[string],
): NonNullable<BlockKind["foreign"]> =>
  Object.fromEntries(Object.entries(table).flatMap(([here, there]) => there.map((name) => [name, meant(here)])));

/** What other tools call the properties of a model. */
const named: BlockKind["foreign"] = {
  ...each(names, (here) => ({ instead: `write \`${here}\``, rewrite: (v) => `${here} = ${v}` })),
  ...each({ context: lengths }, () => ({ instead: "write `context`", rewrite: (v) => `context = ${v} tokens` })),
  ...each({ window: ["sliding_window"] }, () => ({
    instead: "write `window`",
    rewrite: (v) => `window = ${v} tokens`,
  })),
  ...each(groups, (here) => ({ instead: `write \`moe { ${here} = n }\``, rewrite: (v) => `moe { ${here} = ${v} }` })),
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
  foreign: {
    ...named,
    model_type: { instead: "write `family`", rewrite: (v) => `family = ${v.replaceAll('"', "")}` },
    tie_word_embeddings: { instead: "write `tied`", rewrite: (v) => `tied = ${v}` },
  },
};
