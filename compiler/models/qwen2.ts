import { rms, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import { attention } from "./layers/attention.ts";
import { gatedMlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { heads, sharing, sourced, wide } from "./rules.ts";

const table = "Qwen2 (arXiv 2407.10671), table 1; Qwen2.5 (arXiv 2412.15115), table 1";

/** Qwen2 and Qwen2.5: biases on queries, keys and values only. */
export const qwen2 = family({
  name: "qwen2",
  paper: "Qwen2 (Yang et al. 2024, arXiv 2407.10671); Qwen2.5 (arXiv 2412.15115)",
  source: "transformers models/qwen2/configuration_qwen2.py: Qwen2Config",
  class: "Qwen2ForCausalLM",
  says: {
    heads: heads((d) => (d >= 1536 ? 128 : 64), "d_model / 128 (64 below 1536)", table),
    kv_heads: sharing(6, table),
    d_ff: wide(16 / 3, "Qwen2.5 7B: 18944 / 3584", "16/3"),
    vocab: sourced(151936, "Qwen2.5, config.json: vocab_size"),
    context: 32768,
    tied: sourced(false, "Qwen2.5 from 7B on; smaller ones tie"),
    qkv_bias: true,
    norm_eps: 1e-6,
    rope_theta: sourced(1e6, "Qwen2.5, config.json: rope_theta"),
  },
  varies: ["kv_heads", "rope_theta"],
  before: [embedding()],
  layers: [
    layer(
      "block",
      "layers",
      norm("input_layernorm", "rms"),
      attention({ qkvBias: true }),
      norm("post_attention_layernorm", "rms"),
      gatedMlp(),
    ),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: { model: "Qwen2ForCausalLM", config: "Qwen2Config", keys: { ...usual, ...rms, ...rope } },
  ladder: [
    [24, 896, "Qwen2.5 0.5B"],
    [28, 1536, "Qwen2.5 1.5B"],
    [36, 2048, "Qwen2.5 3B"],
    [28, 3584, "Qwen2.5 7B"],
    [48, 5120, "Qwen2.5 14B"],
    [80, 8192, "Qwen2.5 72B"],
  ],
});
