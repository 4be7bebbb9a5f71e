import { orNull, rms, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import { attention } from "./layers/attention.ts";
import { gatedMlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { grouped, heads, sourced, wide } from "./rules.ts";

const table = "Mistral 7B (arXiv 2310.06825), table 1";

/** Mistral: grouped queries and, in its first version, a window of 4096 tokens. */
export const mistral = family({
  name: "mistral",
  paper: "Mistral 7B (Jiang et al. 2023, arXiv 2310.06825)",
  source: "transformers models/mistral/configuration_mistral.py: MistralConfig",
  class: "MistralForCausalLM",
  says: {
    heads: heads((d) => (d >= 3072 ? 128 : 64), "d_model / 128 (64 below 3072)", table),
    kv_heads: grouped(8, table),
    d_ff: wide(3.5, table),
    vocab: 32000,
    context: sourced(8192, table),
    window: sourced(0, "Mistral 7B v0.2 and later, config.json: no window"),
  },
  varies: ["kv_heads", "head_dim", "rope_theta"],
  before: [embedding()],
  layers: [
    layer(
      "block",
      "layers",
      norm("input_layernorm", "rms"),
      attention({ windowed: true }),
      norm("post_attention_layernorm", "rms"),
      gatedMlp(),
    ),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "MistralForCausalLM",
    config: "MistralConfig",
    keys: { ...usual, ...rms, ...rope, head_dim: "head_dim", sliding_window: orNull("window") },
  },
});
