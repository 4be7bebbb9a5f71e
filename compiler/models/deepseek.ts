import { orNull, rms, rope, usual } from "./build.ts";
import { embedding, family, head, type Statement } from "./define.ts";
import type { Part } from "./family.ts";
import { gatedMlp } from "./layers/mlp.ts";
import { mla } from "./layers/mla.ts";
import { moe } from "./layers/moe.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { fromWidth, heads, of, ownHeads, same, sourced } from "./rules.ts";

const block = (feedForward: Part): readonly Part[] => [
  norm("input_layernorm", "rms"),
  mla(),
  norm("post_attention_layernorm", "rms"),
  feedForward,
];

/** From this width on models are built as the large ones are; below it as DeepSeek-V2-Lite and Moonlight, both 2048 wide. */
const large = 4096;
const lite = "DeepSeek-V2 (arXiv 2405.04434), appendix B: V2-Lite";
const moonlight = "Moonlight (arXiv 2502.16982), section 3.1: 16B-A3B";

const width = (d: number): number => (d >= large ? 56 : 128);
const headsRule = "d_model / 128 (56 from 4096 on)";

const says = (table: string) =>
  ({
    head_dim: of(
      ["mla.nope_dim", "mla.rope_dim"],
      "mla.nope_dim + mla.rope_dim",
      (nope, rotated) => nope + rotated,
      table,
    ),
    // As wide as the experts that a token passes through, shared ones included.
    d_ff: of(
      ["d_model"],
      `2.5 * d_model, or 5.5 * d_model below ${large}, rounded up to a multiple of 256`,
      (d) => Math.ceil(((d < large ? 5.5 : 2.5) * d) / 256) * 256,
      `${table}; ${moonlight}`,
    ),
    context: 4096,
    norm_eps: 1e-6,
    "mla.q_rank": fromWidth(large, 1536, 0, `${table}; none in ${lite}`),
    "mla.kv_rank": of(
      ["d_model"],
      "512, or d_model / 4 below 2048",
      (d) => Math.min(512, Math.ceil(d / 256) * 64),
      lite,
    ),
    "mla.nope_dim": sourced(128, table),
    "mla.rope_dim": sourced(64, table),
    "mla.v_dim": sourced(128, table),
    "moe.d_ff": of(
      ["d_model"],
      `0.3 * d_model, or 0.6875 * d_model below ${large}, rounded up to a multiple of 128`,
      (d) => Math.ceil(((d < large ? 0.6875 : 0.3) * d) / 128) * 128,
      `${table}; ${lite}`,
    ),
    "moe.shared_d_ff": same("moe.d_ff", table),
    "moe.every": sourced(1, table),
    "moe.aux_loss": sourced(0.001, table),
  }) satisfies Statement["says"];

const keys = {
  ...usual,
  ...rms,
  ...rope,
  attention_bias: "qkv_bias",
  q_lora_rank: orNull("mla.q_rank"),
  kv_lora_rank: "mla.kv_rank",
  qk_nope_head_dim: "mla.nope_dim",
  qk_rope_head_dim: "mla.rope_dim",
  v_head_dim: "mla.v_dim",
  n_routed_experts: "moe.experts",
  num_experts_per_tok: "moe.top_k",
  n_shared_experts: "moe.shared_experts",
  moe_intermediate_size: "moe.d_ff",
  first_k_dense_replace: "moe.first_dense",
  n_group: () => 1,
  topk_group: () => 1,
} as const;

const varies = ["qkv_bias", "rope_theta"] as const;
const v2 = "DeepSeek-V2 (arXiv 2405.04434), section 3.1.2";
const v3 = "DeepSeek-V3 (arXiv 2412.19437), section 4.2";

const ladder = [
  [27, 2048, "DeepSeek-V2-Lite"],
  [60, 5120, "DeepSeek-V2"],
  [61, 7168, "DeepSeek-V3"],
] as const;

/** DeepSeek-V2: latent attention, many narrow experts and two that all tokens share. */
export const deepseekV2 = family({
  name: "deepseek_v2",
  paper: "DeepSeek-V2 (DeepSeek-AI 2024, arXiv 2405.04434)",
  source: "transformers models/deepseek_v2/configuration_deepseek_v2.py: DeepseekV2Config",
  class: "DeepseekV2ForCausalLM",
  says: {
    ...says(v2),
    heads: heads(width, headsRule, v2),
    vocab: 102400,
    "moe.experts": fromWidth(large, 160, 64, `${v2}; ${lite}`),
    "moe.top_k": sourced(6, v2),
    "moe.shared_experts": sourced(2, v2),
    "moe.first_dense": sourced(1, v2),
  },
  varies: [...varies, "bias"],
  among: { "moe.shared_d_ff": "derived", "moe.every": [1] },
  before: [embedding()],
  layers: [
    layer("dense", "dense", ...block(gatedMlp({ bias: "bias" }))),
    layer(
      "experts",
      "moe",
      ...block(moe({ gated: true, wideRouter: true, shared: "shared_experts", sharedBias: "bias" })),
    ),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "DeepseekV2ForCausalLM",
    config: "DeepseekV2Config",
    keys: { ...keys, mlp_bias: "bias", topk_method: () => "greedy" },
  },
  ladder,
  evenHeads: true,
});

/** DeepSeek-V3: 256 experts, balanced by a correction of the router's scores that no gradient moves. */
export const deepseekV3 = family({
  name: "deepseek_v3",
  paper: "DeepSeek-V3 (DeepSeek-AI 2024, arXiv 2412.19437)",
  source: "transformers models/deepseek_v3/configuration_deepseek_v3.py: DeepseekV3Config",
  class: "DeepseekV3ForCausalLM",
  says: {
    ...says(v3),
    heads: ownHeads(192, width, headsRule, v3),
    vocab: 129280,
    "moe.experts": fromWidth(large, 256, 64, `${v3}; ${moonlight}`),
    "moe.top_k": fromWidth(large, 8, 6, `${v3}; ${moonlight}`),
    "moe.shared_experts": fromWidth(large, 1, 2, `${v3}; ${moonlight}`),
    "moe.first_dense": fromWidth(large, 3, 1, `${v3}; ${moonlight}`),
    "moe.router_bias": sourced(true, "DeepSeek-V3 (arXiv 2412.19437), section 2.1.2"),
  },
  varies,
  among: { "moe.shared_d_ff": "derived", "moe.every": [1] },
  before: [embedding()],
  layers: [
    layer("dense", "dense", ...block(gatedMlp())),
    layer(
      "experts",
      "moe",
      ...block(moe({ gated: true, wideRouter: true, shared: "shared_experts", routerBias: "correction" })),
    ),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "DeepseekV3ForCausalLM",
    config: "DeepseekV3Config",
    keys,
    only: { "moe.router_bias": [true] },
  },
  ladder,
});
