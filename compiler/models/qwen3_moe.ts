import { rms, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import type { Part } from "./family.ts";
import { gatedMlp } from "./layers/mlp.ts";
import { moe } from "./layers/moe.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { qwen3Attention } from "./qwen3.ts";
import { grouped, of, ownHeads, sourced, wide } from "./rules.ts";

const table = "Qwen3 (arXiv 2505.09388), table 2";
const block = (feedForward: Part): readonly Part[] => [
  norm("input_layernorm", "rms"),
  qwen3Attention,
  norm("post_attention_layernorm", "rms"),
  feedForward,
];

/** Qwen3's mixtures: many narrow experts, none shared. Layers below `moe.first_dense`, and all but every `moe.every`th, are dense. */
export const qwen3Moe = family({
  name: "qwen3_moe",
  paper: "Qwen3 (Yang et al. 2025, arXiv 2505.09388)",
  source: "transformers models/qwen3_moe/configuration_qwen3_moe.py: Qwen3MoeConfig",
  class: "Qwen3MoeForCausalLM",
  says: {
    heads: ownHeads(
      128,
      64,
      "d_model / 64",
      "Qwen3 30B-A3B and 235B-A22B, config.json: heads of 128 at twice the width",
    ),
    head_dim: sourced(128, "Qwen3, config.json: head_dim"),
    kv_heads: grouped(4, table),
    d_ff: wide(3, "Qwen3 30B-A3B, config.json: intermediate_size / hidden_size"),
    vocab: 151936,
    context: 32768,
    norm_eps: 1e-6,
    qk_norm: true,
    rope_theta: sourced(1e6, "Qwen3, config.json: rope_theta"),
    "moe.experts": sourced(128, table),
    "moe.top_k": sourced(8, table),
    "moe.d_ff": of(
      ["d_model"],
      "3/8 * d_model",
      (d) => Math.ceil((0.375 * d) / 64) * 64,
      "Qwen3 30B-A3B and 235B-A22B, config.json",
    ),
    "moe.first_dense": 0,
    "moe.every": 1,
    "moe.aux_loss": 0.001,
  },
  varies: ["kv_heads", "head_dim", "qkv_bias", "rope_theta"],
  before: [embedding()],
  layers: [layer("dense", "dense", ...block(gatedMlp())), layer("experts", "moe", ...block(moe({ gated: true })))],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "Qwen3MoeForCausalLM",
    config: "Qwen3MoeConfig",
    keys: {
      ...usual,
      ...rms,
      ...rope,
      head_dim: "head_dim",
      attention_bias: "qkv_bias",
      num_experts: "moe.experts",
      num_experts_per_tok: "moe.top_k",
      moe_intermediate_size: "moe.d_ff",
      decoder_sparse_step: "moe.every",
      mlp_only_layers: ({ moe: m }) => Array.from({ length: m?.first_dense ?? 0 }, (_, i) => i),
      norm_topk_prob: () => true,
      router_aux_loss_coef: "moe.aux_loss",
    },
  },
  ladder: [
    [48, 2048, "Qwen3 30B-A3B"],
    [94, 4096, "Qwen3 235B-A22B"],
    [62, 6144, "Qwen3-Coder 480B-A35B"],
  ],
});
