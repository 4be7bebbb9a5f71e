import { embedding, family, head } from "./define.ts";
import { usual } from "./build.ts";
import type { Default } from "./family.ts";
import { attention } from "./layers/attention.ts";
import { mamba2 } from "./layers/mamba.ts";
import { mlp } from "./layers/mlp.ts";
import { moe } from "./layers/moe.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { grouped, of, ownHeads, sourced } from "./rules.ts";

const report = "Nemotron-H (arXiv 2504.03624), section 2.1";
const nano = "NVIDIA Nemotron 3 Nano 30B-A3B, config.json";

/** Mamba-2 and MLP in turn, attention in every eleventh layer from the eighth: 4 of 52 and 10 of 118. */
const dispersed: Default<string> = {
  value: ({ layers }) => {
    if (layers === undefined) return null;
    let other = 0;
    const letter = (i: number): string => (i % 11 === 7 && i < layers - 1 ? "*" : other++ % 2 === 0 ? "M" : "-");
    return Array.from({ length: layers }, (_, i) => letter(i)).join("");
  },
  rule: "M and - in turn, * in every eleventh layer from the eighth",
  inputs: ["layers"],
  source: `${report}, figure 2: the 8B and 56B`,
};

const names: Readonly<Record<string, string>> = {
  M: "linear_attention",
  E: "moe",
  "*": "full_attention",
  "-": "mlp",
};

/** Nemotron-H and NVIDIA's Mamba-2 hybrids: a layer is one of `M` Mamba-2, `*` attention, `-` MLP, `E` experts. */
export const nemotronH = family({
  name: "nemotron_h",
  paper:
    "Nemotron-H (NVIDIA 2025, arXiv 2504.03624); An Empirical Study of Mamba-based Language Models (arXiv 2406.07887)",
  source: "transformers models/nemotron_h/configuration_nemotron_h.py: NemotronHConfig",
  class: "NemotronHForCausalLM",
  says: {
    heads: ownHeads(128, 128, "d_model / 128", report),
    head_dim: sourced(128, report),
    kv_heads: grouped(8, report),
    d_ff: of(
      ["d_model"],
      "5.25 * d_model",
      (d) => Math.ceil((5.25 * d) / 128) * 128,
      `${report}, table 1: 21504 / 4096`,
    ),
    vocab: 131072,
    context: sourced(8192, report),
    norm: "rms",
    activation: "relu2",
    gated: false,
    positions: sourced("none", report),
    rotary_fraction: sourced(0, report),
    rope_theta: sourced(0, report),
    pattern: dispersed,
    "ssm.kind": "mamba2",
    "ssm.state": sourced(128, report),
    "ssm.groups": sourced(8, report),
    "ssm.head_dim": sourced(64, report),
    "ssm.heads": of(
      ["ssm.expand", "d_model", "ssm.head_dim"],
      "ssm.expand * d_model / ssm.head_dim",
      (expand, d, width) => (expand * d) / width,
      report,
    ),
    "ssm.conv": sourced(4, report),
    "ssm.expand": sourced(2, report),
    "moe.experts": sourced(128, nano),
    "moe.top_k": sourced(6, nano),
    "moe.d_ff": of(["d_model"], "0.69 * d_model", (d) => Math.ceil((0.69 * d) / 64) * 64, `${nano}: 1856 / 2688`),
    "moe.shared_experts": 1,
    "moe.shared_d_ff": of(["moe.d_ff"], "2 * moe.d_ff", (inner) => 2 * inner, nano),
    "moe.router_bias": sourced(
      true,
      "transformers models/nemotron_h/modeling_nemotron_h.py: e_score_correction_bias",
    ),
  },
  varies: ["kv_heads", "head_dim", "bias"],
  among: { qkv_bias: [false], "ssm.kind": ["mamba2"], "moe.shared_experts": [1], "moe.router_bias": [true] },
  before: [embedding("embeddings")],
  layers: [
    layer("mamba", "letter:M", norm("norm", "rms", undefined, 4), mamba2({ chunk: 128 })),
    layer("attention", "letter:*", norm("norm", "rms", undefined, 4), attention({ at: "mixer" })),
    layer("mlp", "letter:-", norm("norm", "rms", undefined, 4), mlp({ at: "mixer", bias: "bias" })),
    layer(
      "experts",
      "letter:E",
      norm("norm", "rms", undefined, 4),
      moe({
        at: "mixer",
        gated: false,
        wideRouter: true,
        shared: "shared_experts",
        routerBias: "correction",
        sharedBias: "bias",
      }),
    ),
  ],
  after: [...normTensors("norm_f", "rms"), head()],
  build: {
    model: "NemotronHForCausalLM",
    config: "NemotronHConfig",
    keys: {
      ...usual,
      hidden_act: () => "silu",
      mlp_hidden_act: ({ activation }) => (activation === "gelu_tanh" ? "gelu_pytorch_tanh" : activation),
      head_dim: "head_dim",
      layer_norm_epsilon: "norm_eps",
      mlp_bias: "bias",
      hidden_dropout: "dropout",
      layers_block_type: ({ pattern = "" }) => [...pattern].map((letter) => names[letter] ?? letter),
      ssm_state_size: "ssm.state",
      n_groups: "ssm.groups",
      mamba_num_heads: "ssm.heads",
      mamba_head_dim: "ssm.head_dim",
      conv_kernel: "ssm.conv",
      expand: ({ ssm }) => Math.round(ssm?.expand ?? 2),
      n_routed_experts: "moe.experts",
      num_experts_per_tok: "moe.top_k",
      moe_intermediate_size: "moe.d_ff",
      moe_shared_expert_intermediate_size: "moe.shared_d_ff",
      use_mamba_kernels: () => false,
    },
    only: { tied: [false] },
  },
  ladder: [
    [52, 4096, "Nemotron-H 8B"],
    [118, 8192, "Nemotron-H 56B"],
  ],
});
