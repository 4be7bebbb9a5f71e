import { activation, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import type { Default, Shape } from "./family.ts";
import { attentionCore, keys, plainScores, queries } from "./layers/attention.ts";
import { linear } from "./layers/linear.ts";
import { activationSaved, mlp } from "./layers/mlp.ts";
import { besideOther, norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { heads, wide } from "./rules.ts";

const paper = "The Falcon Series (Almazrouei et al. 2023, arXiv 2311.16867)";

/** Grouped keys came with a second decoder layout, which norms attention and MLP apart. */
const norms: Default<number> = {
  value: ({ kv_heads, heads: n, parallel_residual }) =>
    kv_heads === undefined || n === undefined
      ? null
      : parallel_residual === false || (kv_heads > 1 && kv_heads < n)
        ? 2
        : 1,
  rule: "1 with one key-value head or as many as heads, 2 between or in sequence",
  inputs: ["kv_heads", "heads", "parallel_residual"],
  source: "Falcon 7B, 40B and 180B, config.json: new_decoder_architecture",
};

const keyHeads: Default<number> = {
  value: ({ d_model, heads: n }) =>
    d_model === undefined || n === undefined ? null : d_model >= 7168 && n % 8 === 0 ? 8 : 1,
  rule: "8 from d_model 7168 on where they divide heads, 1 below",
  inputs: ["d_model", "heads"],
  source: "Falcon 7B, 40B and 180B, config.json: multi_query, num_kv_heads",
};

const grouped = ({ kv_heads, heads: n, norms: count, parallel_residual }: Shape): boolean =>
  (kv_heads > 1 && kv_heads < n) || (count === 2 && parallel_residual);

const second = norm("second_layernorm", "layer", "norms:2");
const fused = { size: 1, width: "compute", masked: true, rows: (tokens: number): number => tokens * tokens } as const;

/** Falcon: one or few key-value heads, attention and MLP side by side; Falcon-RW in sequence, with biases and ALiBi. */
export const falcon = family({
  name: "falcon",
  paper,
  source: "transformers models/falcon/configuration_falcon.py: FalconConfig",
  class: "FalconForCausalLM",
  says: {
    heads: heads(64, "d_model / 64", `${paper}, table 10: heads of 64`),
    kv_heads: keyHeads,
    d_ff: wide(4, paper),
    vocab: 65024,
    context: 2048,
    tied: true,
    norm: "layer",
    activation: "gelu",
    gated: false,
    parallel_residual: true,
    norms,
  },
  varies: ["kv_heads", "bias", "parallel_residual", "positions", "rope_theta", "rotary_fraction"],
  among: { positions: ["rope", "alibi"], norms: [1, 2], rotary_fraction: [1] },
  before: [embedding("word_embeddings")],
  layers: [
    layer(
      "block",
      "layers",
      norm("input_layernorm", "layer"),
      { ...second, saved: besideOther(second.saved) },
      {
        attention: queries,
        tensors: [
          ...linear(
            "self_attention.query_key_value",
            "d_model",
            { sum: [queries, [2, keys]] },
            { split: "outputs", bias: "bias" },
          ),
          ...linear("self_attention.dense", queries, "d_model", { split: "inputs", bias: "bias" }),
        ],
        saved: [
          { name: "input of attention", size: "d_model", width: "compute" },
          { name: "query", size: queries, width: "compute" },
          {
            name: "key and value, of all heads where several share them",
            size: [2, keys],
            width: "compute",
            rows: (tokens, shape) => (grouped(shape) ? (tokens * shape.heads) / shape.kv_heads : tokens),
          },
          ...attentionCore(plainScores),
          // FalconModel.forward asks for a mask where others leave it to the kernel: PyTorch makes numbers of it for each layer.
          { ...fused, name: "mask in numbers", when: "positions:rope" },
          { ...fused, name: "ALiBi that autocast casts", size: "heads", width: "recast", when: "positions:alibi" },
          { name: "dropout masks", size: [2, "d_model"], width: 1, when: "dropout" },
        ],
      },
      {
        tensors: mlp({ names: ["dense_h_to_4h", "dense_4h_to_h"], bias: "bias" }).tensors,
        saved: [
          { name: "input of the MLP", size: "d_model", width: "compute", when: "norms:2" },
          { name: "copy of what attention reads, too", size: "d_model", width: "cast", when: "norms:1" },
          ...activationSaved(),
          // FalconLinear adds a bias to what autocast gave: the sum is as wide as the bias.
          { name: "activation input in 32 bits", size: "d_ff", width: "recast", when: "bias" },
        ],
      },
    ),
  ],
  after: [...normTensors("ln_f", "layer"), head()],
  build: {
    model: "FalconForCausalLM",
    config: "FalconConfig",
    keys: {
      ...usual,
      ...rope,
      activation,
      ffn_hidden_size: "d_ff",
      num_kv_heads: "kv_heads",
      hidden_dropout: "dropout",
      layer_norm_epsilon: "norm_eps",
      parallel_attn: "parallel_residual",
      bias: "bias",
      alibi: ({ positions }) => positions === "alibi",
      multi_query: ({ kv_heads }) => kv_heads === 1,
      new_decoder_architecture: grouped,
      num_ln_in_parallel_attn: (shape) => (grouped(shape) ? (shape.norms ?? 2) : null),
    },
  },
});
