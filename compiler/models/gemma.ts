import { activation, rms, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import { attention } from "./layers/attention.ts";
import { gatedMlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { ownHeads, sourced, wide } from "./rules.ts";

const table = "Gemma (arXiv 2403.08295), table 1";

/** Gemma: heads of 256, GeGLU, tied embeddings. */
export const gemma = family({
  name: "gemma",
  paper: "Gemma (Gemma Team 2024, arXiv 2403.08295)",
  source: "transformers models/gemma/configuration_gemma.py: GemmaConfig",
  class: "GemmaForCausalLM",
  says: {
    heads: ownHeads(256, 256, "d_model / 256", table),
    head_dim: sourced(256, table),
    d_ff: wide(8, `${table}: 16 d_model for gate and up together`),
    vocab: 256000,
    context: 8192,
    tied: true,
    norm_eps: 1e-6,
    activation: "gelu_tanh",
  },
  varies: ["kv_heads", "head_dim", "qkv_bias", "rope_theta"],
  before: [embedding()],
  layers: [
    layer(
      "block",
      "layers",
      norm("input_layernorm", "rms", undefined, 4),
      attention({ qkvBias: "qkv_bias", outBias: "qkv_bias" }),
      norm("post_attention_layernorm", "rms", undefined, 4),
      gatedMlp(),
    ),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "GemmaForCausalLM",
    config: "GemmaConfig",
    keys: {
      ...usual,
      ...rms,
      ...rope,
      head_dim: "head_dim",
      attention_bias: "qkv_bias",
      hidden_activation: activation,
    },
  },
  ladder: [
    [18, 2048, "Gemma 2B"],
    [28, 3072, "Gemma 7B"],
  ],
});
