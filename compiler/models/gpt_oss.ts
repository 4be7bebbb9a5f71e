import { rms, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import type { Part } from "./family.ts";
import { attention, plainScores } from "./layers/attention.ts";
import { moe } from "./layers/moe.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { of, ownHeads, repeating, same, sharing, sourced } from "./rules.ts";

const card = "gpt-oss model card (arXiv 2508.10925), table 1";
const block = (attended: Part): readonly Part[] => [
  norm("input_layernorm", "rms"),
  attended,
  norm("post_attention_layernorm", "rms"),
  moe({ gated: true, bias: true, routerBias: "learned" }),
];
const options = { qkvBias: "qkv_bias", outBias: "qkv_bias", sinks: true, written: plainScores } as const;

/** gpt-oss: biases everywhere, a sink per head, every other layer (`S`) looks back 128 tokens. */
export const gptOss = family({
  name: "gpt_oss",
  paper: "gpt-oss-120b and gpt-oss-20b (OpenAI 2025, arXiv 2508.10925)",
  source: "transformers models/gpt_oss/configuration_gpt_oss.py: GptOssConfig",
  class: "GptOssForCausalLM",
  says: {
    heads: ownHeads(64, 45, "d_model / 45: heads of 64 at 1.4 times the width", card),
    head_dim: sourced(64, card),
    kv_heads: sharing(8, card),
    d_ff: of(["d_model"], "d_model", (d) => d, card),
    vocab: 201088,
    context: 131072,
    bias: true,
    qkv_bias: true,
    rope_theta: 150000,
    window: 128,
    pattern: repeating("SF", card),
    "moe.experts": sourced(32, card),
    "moe.top_k": sourced(4, card),
    "moe.d_ff": same("d_ff", "transformers models/gpt_oss: intermediate_size is an expert's"),
    "moe.router_bias": true,
    "moe.aux_loss": 0.001,
  },
  varies: ["kv_heads", "head_dim", "qkv_bias", "rope_theta"],
  among: { "moe.router_bias": [true] },
  before: [embedding()],
  layers: [
    layer("sliding", "letter:S", ...block(attention({ ...options, windowed: true }))),
    layer("full", "letter:F", ...block(attention(options))),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "GptOssForCausalLM",
    config: "GptOssConfig",
    lacks: ["sdpa"],
    keys: {
      ...usual,
      ...rms,
      ...rope,
      head_dim: "head_dim",
      attention_bias: "qkv_bias",
      intermediate_size: "moe.d_ff",
      num_local_experts: "moe.experts",
      num_experts_per_tok: "moe.top_k",
      sliding_window: "window",
      layer_types: ({ pattern = "" }) =>
        [...pattern].map((letter) => (letter === "F" ? "full_attention" : "sliding_attention")),
      router_aux_loss_coef: "moe.aux_loss",
    },
  },
  // 24 and 36 layers of the same width: their mean.
  ladder: [[29, 2880, "gpt-oss, between 20B and 120B"]],
});
