import { rms, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import { attention } from "./layers/attention.ts";
import { gatedMlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { heads, sourced, wide } from "./rules.ts";

const report = "2 OLMo 2 Furious (arXiv 2501.00656)";

/** OLMo 2: norms after attention and MLP instead of before; queries and keys normalised over their whole width. */
export const olmo2 = family({
  name: "olmo2",
  paper: "2 OLMo 2 Furious (OLMo Team 2025, arXiv 2501.00656)",
  source: "transformers models/olmo2/configuration_olmo2.py: Olmo2Config",
  class: "Olmo2ForCausalLM",
  says: {
    heads: heads(128, "d_model / 128", `${report}, table 1`),
    d_ff: wide(8 / 3, `${report}, table 1`, "8/3"),
    vocab: sourced(100352, "OLMo 2 7B and 13B, config.json: vocab_size"),
    context: sourced(4096, `${report}, table 1`),
    norm_eps: sourced(1e-6, `${report}, table 1`),
    qk_norm: true,
    rope_theta: sourced(500000, `${report}, table 1`),
  },
  varies: ["kv_heads", "qkv_bias", "rope_theta"],
  before: [embedding()],
  layers: [
    layer(
      "block",
      "layers",
      attention({
        qkvBias: "qkv_bias",
        outBias: "qkv_bias",
        qkNorm: { over: "width", kind: "rms", names: ["q_norm", "k_norm"], wide: true },
      }),
      norm("post_attention_layernorm", "rms", undefined, 4),
      gatedMlp(),
      norm("post_feedforward_layernorm", "rms", undefined, 4),
    ),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "Olmo2ForCausalLM",
    config: "Olmo2Config",
    keys: { ...usual, ...rms, ...rope, attention_bias: "qkv_bias" },
  },
  ladder: [
    [4, 128, "4 x 128"],
    [6, 256, "Pythia 31M"],
    [12, 768, "GPT-2 124M and GPT-3 Small"],
    [16, 2048, "OLMo 2 1B"],
    [32, 4096, "OLMo 2 7B"],
    [40, 5120, "OLMo 2 13B"],
  ],
});
