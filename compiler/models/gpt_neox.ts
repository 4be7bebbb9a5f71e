import { partialRope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import { attentionCore } from "./layers/attention.ts";
import { linear } from "./layers/linear.ts";
import { mlp } from "./layers/mlp.ts";
import { besideOther, norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { heads, wide } from "./rules.ts";

const second = norm("post_attention_layernorm", "layer");

/** GPT-NeoX and Pythia: attention and MLP side by side on one stream. */
export const gptNeox = family({
  name: "gpt_neox",
  paper: "GPT-NeoX-20B (Black et al. 2022, arXiv 2204.06745); Pythia (Biderman et al. 2023, arXiv 2304.01373)",
  source: "transformers models/gpt_neox/configuration_gpt_neox.py: GPTNeoXConfig",
  class: "GPTNeoXForCausalLM",
  says: {
    heads: heads(
      (d) => (d >= 2048 ? 128 : 64),
      "d_model / 64 (128 from 2048 on, 32 up to 256)",
      "Pythia (arXiv 2304.01373), table 1",
    ),
    d_ff: wide(4, "GPT-NeoX-20B (arXiv 2204.06745), section 2.1"),
    vocab: 50432,
    context: 2048,
    bias: true,
    qkv_bias: true,
    norm: "layer",
    activation: "gelu",
    gated: false,
    parallel_residual: true,
    rotary_fraction: 0.25,
  },
  varies: ["qkv_bias", "parallel_residual", "rotary_fraction", "rope_theta"],
  before: [embedding("embed_in")],
  layers: [
    layer(
      "block",
      "layers",
      norm("input_layernorm", "layer"),
      {
        attention: "d_model",
        tensors: [
          ...linear("attention.query_key_value", "d_model", [3, "d_model"], { split: "outputs", bias: "qkv_bias" }),
          ...linear("attention.dense", "d_model", "d_model", { split: "inputs", bias: "qkv_bias" }),
        ],
        saved: [
          { name: "input of attention", size: "d_model", width: "compute" },
          { name: "fused projection, of which value is a view", size: [3, "d_model"], width: "compute" },
          { name: "rotated query and key", size: [2, "d_model"], width: "compute" },
          { name: "attention output in the order of tokens", size: "d_model", width: "compute" },
          ...attentionCore(),
          { name: "dropout masks", size: [2, "d_model"], width: 1, when: "dropout" },
        ],
      },
      {
        tensors: second.tensors,
        saved: besideOther(second.saved),
      },
      mlp({ names: ["dense_h_to_4h", "dense_4h_to_h"], bias: true }),
    ),
  ],
  after: [...normTensors("final_layer_norm", "layer"), head("embed_out")],
  build: {
    model: "GPTNeoXForCausalLM",
    config: "GPTNeoXConfig",
    keys: {
      ...usual,
      ...partialRope,
      hidden_dropout: "dropout",
      layer_norm_eps: "norm_eps",
      use_parallel_residual: "parallel_residual",
      attention_bias: "qkv_bias",
    },
  },
  ladder: [
    [6, 128, "Pythia 14M"],
    [6, 512, "Pythia 70M"],
    [12, 768, "Pythia 160M"],
    [24, 1024, "Pythia 410M"],
    [24, 2048, "Pythia 1.4B"],
    [32, 2560, "Pythia 2.8B"],
    [32, 4096, "Pythia 6.9B"],
    [36, 5120, "Pythia 12B"],
    [44, 6144, "GPT-NeoX-20B"],
  ],
});
