import { orNull, rms, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import { attention } from "./layers/attention.ts";
import { moe } from "./layers/moe.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { grouped, heads, same, sourced, wide } from "./rules.ts";

const table = "Mixtral of Experts (arXiv 2401.04088), table 1";

/** Mixtral: Mistral with eight experts in every layer, two to a token. `d_ff` is one expert's width. */
export const mixtral = family({
  name: "mixtral",
  paper: "Mixtral of Experts (Jiang et al. 2024, arXiv 2401.04088)",
  source: "transformers models/mixtral/configuration_mixtral.py: MixtralConfig",
  class: "MixtralForCausalLM",
  says: {
    heads: heads((d) => (d >= 3072 ? 128 : 64), "d_model / 128 (64 below 3072)", table),
    kv_heads: grouped(8, table),
    d_ff: wide(3.5, table),
    vocab: 32000,
    context: sourced(32768, table),
    rope_theta: 1e6,
    window: sourced(0, "Mixtral 8x7B, config.json: no window"),
    "moe.experts": sourced(8, table),
    "moe.top_k": sourced(2, table),
    "moe.d_ff": same("d_ff", "transformers models/mixtral: intermediate_size is an expert's"),
    "moe.aux_loss": 0.001,
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
      moe({ gated: true }),
    ),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "MixtralForCausalLM",
    config: "MixtralConfig",
    keys: {
      ...usual,
      ...rms,
      ...rope,
      head_dim: "head_dim",
      sliding_window: orNull("window"),
      intermediate_size: "moe.d_ff",
      num_local_experts: "moe.experts",
      num_experts_per_tok: "moe.top_k",
      router_aux_loss_coef: "moe.aux_loss",
    },
  },
  ladder: [
    [4, 128, "4 x 128"],
    [6, 256, "Pythia 31M"],
    [12, 768, "GPT-2 124M and GPT-3 Small"],
    [24, 2048, "JetMoE 8B (arXiv 2404.07413) and Qwen1.5-MoE A2.7B"],
    [32, 4096, "Mixtral 8x7B"],
    [56, 6144, "Mixtral 8x22B"],
  ],
});
