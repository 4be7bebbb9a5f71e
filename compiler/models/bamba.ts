import { partialRope, rms, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import type { Default, Part } from "./family.ts";
import { attention } from "./layers/attention.ts";
import { mamba2 } from "./layers/mamba.ts";
import { gatedMlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { grouped, heads, of, sourced, wide } from "./rules.ts";

const post = "Bamba (IBM, Princeton, CMU, UIUC 2024), model card";

const pattern: Default<string> = {
  value: ({ layers }) =>
    layers === undefined
      ? null
      : Array.from({ length: layers }, (_, i) => (i > 0 && i % 9 === 0 ? "*" : "M")).join(""),
  rule: "M, and * in every ninth layer after the first",
  inputs: ["layers"],
  source: "Bamba-9B, config.json: attn_layer_indices 9, 18, 27 of 32",
};

const block = (mixer: Part): readonly Part[] => [
  norm("input_layernorm", "rms"),
  mixer,
  norm("pre_ff_layernorm", "rms"),
  gatedMlp({ at: "feed_forward", bias: "bias" }),
];

/** Bamba: Mamba-2 (`M`) or attention (`*`), each followed by a gated MLP. */
export const bamba = family({
  name: "bamba",
  paper: post,
  source: "transformers models/bamba/configuration_bamba.py: BambaConfig",
  class: "BambaForCausalLM",
  says: {
    heads: heads(128, "d_model / 128", post),
    kv_heads: grouped(8, post),
    d_ff: wide(3.5, post),
    vocab: sourced(128256, post),
    context: sourced(4096, post),
    rotary_fraction: 0.5,
    pattern,
    "ssm.kind": "mamba2",
    "ssm.state": sourced(128, post),
    "ssm.groups": sourced(1, post),
    "ssm.head_dim": sourced(64, post),
    "ssm.heads": of(
      ["ssm.expand", "d_model", "ssm.head_dim"],
      "ssm.expand * d_model / ssm.head_dim",
      (expand, d, width) => (expand * d) / width,
      post,
    ),
    "ssm.conv": sourced(4, post),
    "ssm.expand": sourced(2, post),
  },
  varies: ["kv_heads", "bias", "qkv_bias", "rope_theta"],
  among: { "ssm.kind": ["mamba2"] },
  before: [embedding()],
  layers: [
    layer("mamba", "letter:M", ...block(mamba2({ at: "mamba" }))),
    layer(
      "attention",
      "letter:*",
      ...block(attention({ reordered: true, qkvBias: "qkv_bias", outBias: "qkv_bias" })),
    ),
  ],
  after: [...normTensors("final_layernorm", "rms"), head()],
  build: {
    model: "BambaForCausalLM",
    config: "BambaConfig",
    keys: {
      ...usual,
      ...rms,
      ...partialRope,
      attention_bias: "qkv_bias",
      mlp_bias: "bias",
      attn_layer_indices: ({ pattern: letters = "" }) =>
        [...letters].flatMap((letter, i) => (letter === "*" ? [i] : [])),
      mamba_n_heads: "ssm.heads",
      mamba_d_head: "ssm.head_dim",
      mamba_n_groups: "ssm.groups",
      mamba_d_state: "ssm.state",
      mamba_d_conv: "ssm.conv",
      mamba_expand: "ssm.expand",
    },
  },
});
