import { partialRope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import { attention } from "./layers/attention.ts";
import { mlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { grouped, heads, sourced, wide } from "./rules.ts";

const report = "Nemotron-4 15B (arXiv 2402.16819), section 2";

/** Nemotron-3, Nemotron-4 and Minitron: squared ReLU, LayerNorm, half of each head rotated. */
export const nemotron = family({
  name: "nemotron",
  paper: "Nemotron-4 15B (Parmar et al. 2024, arXiv 2402.16819); Nemotron-4 340B (arXiv 2406.11704)",
  source: "transformers models/nemotron/configuration_nemotron.py: NemotronConfig",
  class: "NemotronForCausalLM",
  says: {
    heads: heads(128, "d_model / 128", `${report}, table 1`),
    kv_heads: grouped(8, `${report}, table 1`),
    d_ff: wide(4, `${report}, table 1`),
    vocab: sourced(256000, report),
    context: sourced(4096, report),
    norm: "layer",
    activation: "relu2",
    gated: false,
    rotary_fraction: 0.5,
    init_std: 0.0134,
  },
  // modeling_nemotron.py, NemotronLayerNorm1P: it casts by what CUDA's autocast says, on a processor not at all.
  narrowNorms: true,
  varies: ["kv_heads", "head_dim", "bias", "qkv_bias", "rotary_fraction", "rope_theta"],
  before: [embedding()],
  layers: [
    layer(
      "block",
      "layers",
      norm("input_layernorm", "layer"),
      attention({ reordered: true, qkvBias: "qkv_bias", outBias: "qkv_bias" }),
      norm("post_attention_layernorm", "layer"),
      mlp({ bias: "bias" }),
    ),
  ],
  after: [...normTensors("norm", "layer"), head()],
  build: {
    model: "NemotronForCausalLM",
    config: "NemotronConfig",
    keys: {
      ...usual,
      ...partialRope,
      head_dim: "head_dim",
      norm_eps: "norm_eps",
      attention_bias: "qkv_bias",
      mlp_bias: "bias",
    },
  },
  ladder: [
    [4, 128, "4 x 128"],
    [6, 256, "Pythia 31M"],
    [12, 768, "GPT-2 124M and GPT-3 Small"],
    [32, 6144, "Nemotron-4 15B"],
    [96, 18432, "Nemotron-4 340B"],
  ],
});
