import { activation } from "./build.ts";
import { embedding, family, head, learnedPositions } from "./define.ts";
import { attentionCore, plainScores } from "./layers/attention.ts";
import { linear } from "./layers/linear.ts";
import { mlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { heads, sourced } from "./rules.ts";

/** GPT-2: learned positions, biases everywhere. */
export const gpt2 = family({
  name: "gpt2",
  paper: "Language Models are Unsupervised Multitask Learners (Radford et al. 2019)",
  source: "transformers models/gpt2/configuration_gpt2.py: GPT2Config",
  class: "GPT2LMHeadModel",
  says: {
    heads: heads(
      (d) => (d >= 2048 ? 128 : 64),
      "d_model / 64 (128 from 2048 on, 32 up to 256)",
      "GPT-2 (Radford et al. 2019); GPT-3 (arXiv 2005.14165), table 2.1",
    ),
    vocab: 50257,
    context: 1024,
    tied: true,
    bias: true,
    qkv_bias: true,
    norm: "layer",
    activation: "gelu_tanh",
    gated: false,
    positions: "learned",
    rotary_fraction: sourced(0, "learned positions rotate nothing"),
    rope_theta: sourced(0, "learned positions rotate nothing"),
    dropout: sourced(0, "nanoGPT train.py: 0 for pretraining"),
  },
  before: [embedding("wte"), learnedPositions("wpe")],
  layers: [
    layer(
      "block",
      "layers",
      norm("ln_1", "layer"),
      {
        attention: "d_model",
        tensors: [
          ...linear("attn.c_attn", "d_model", [3, "d_model"], { split: "outputs", bias: true }),
          ...linear("attn.c_proj", "d_model", "d_model", { split: "inputs", bias: true }),
        ],
        saved: [
          { name: "input of attention", size: "d_model", width: "compute" },
          { name: "query, key, value", size: [3, "d_model"], width: "compute" },
          ...attentionCore(plainScores),
          { name: "dropout masks", size: [2, "d_model"], width: 1, when: "dropout" },
        ],
      },
      norm("ln_2", "layer"),
      mlp({ names: ["c_fc", "c_proj"], bias: true }),
    ),
  ],
  after: [...normTensors("ln_f", "layer"), head()],
  build: {
    model: "GPT2LMHeadModel",
    config: "GPT2Config",
    keys: {
      n_positions: "context",
      n_embd: "d_model",
      n_layer: "layers",
      n_head: "heads",
      n_inner: "d_ff",
      activation_function: activation,
      resid_pdrop: "dropout",
      embd_pdrop: "dropout",
      attn_pdrop: "dropout",
      layer_norm_epsilon: "norm_eps",
    },
  },
  ladder: [
    [12, 768, "GPT-2 124M and GPT-3 Small"],
    [24, 1024, "GPT-2 and GPT-3 Medium"],
    [24, 1536, "GPT-3 Large"],
    [24, 2048, "GPT-3 XL"],
    [32, 2560, "GPT-3 2.7B"],
    [32, 4096, "GPT-3 6.7B"],
    [40, 5140, "GPT-3 13B"],
    [96, 12288, "GPT-3 175B"],
  ],
});
