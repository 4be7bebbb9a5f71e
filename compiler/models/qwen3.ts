import { rms, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import { attention } from "./layers/attention.ts";
import { gatedMlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { grouped, ownHeads, sourced, wide } from "./rules.ts";

const table = "Qwen3 (arXiv 2505.09388), table 1";

/** Qwen3's attention: heads of 128 whatever the width, queries and keys normalised per head. */
export const qwen3Attention = attention({
  qkvBias: "qkv_bias",
  outBias: "qkv_bias",
  qkNorm: { over: "head", kind: "rms", names: ["q_norm", "k_norm"] },
});

export const qwen3 = family({
  name: "qwen3",
  paper: "Qwen3 (Yang et al. 2025, arXiv 2505.09388)",
  source: "transformers models/qwen3/configuration_qwen3.py: Qwen3Config",
  class: "Qwen3ForCausalLM",
  says: {
    heads: ownHeads(128, (d) => (d >= 2048 ? 128 : 64), "d_model / 128 (64 below 2048)", table),
    head_dim: sourced(128, "Qwen3, config.json: head_dim"),
    kv_heads: grouped(8, table),
    d_ff: wide(3, "Qwen3 0.6B to 8B, config.json: intermediate_size / hidden_size"),
    vocab: 151936,
    context: 32768,
    norm_eps: 1e-6,
    qk_norm: true,
    rope_theta: sourced(1e6, "Qwen3, config.json: rope_theta"),
  },
  varies: ["kv_heads", "head_dim", "qkv_bias", "rope_theta"],
  before: [embedding()],
  layers: [
    layer(
      "block",
      "layers",
      norm("input_layernorm", "rms"),
      qwen3Attention,
      norm("post_attention_layernorm", "rms"),
      gatedMlp(),
    ),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "Qwen3ForCausalLM",
    config: "Qwen3Config",
    keys: { ...usual, ...rms, ...rope, head_dim: "head_dim", attention_bias: "qkv_bias" },
  },
  ladder: [
    [28, 1024, "Qwen3 0.6B"],
    [28, 2048, "Qwen3 1.7B"],
    [36, 2560, "Qwen3 4B"],
    [36, 4096, "Qwen3 8B"],
    [40, 5120, "Qwen3 14B"],
  ],
});
