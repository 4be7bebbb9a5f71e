import { rms, rope } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import type { Part } from "./family.ts";
import { attention } from "./layers/attention.ts";
import { moe } from "./layers/moe.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { timeMix } from "./layers/rwkv7.ts";
import { heads, repeating, same, sourced, wide } from "./rules.ts";
import { rwkvKeys, rwkvSays } from "./rwkv7.ts";

const spec = "CDRmix, FR-5 and architecture summary";
const block = (mixer: Part): readonly Part[] => [
  norm("ln1", "rms"),
  mixer,
  norm("ln2", "rms"),
  moe({ at: "ffn", gated: false }),
];

/** CDRmix: of four blocks three mix by RWKV-7 (`R`), one attends (`*`); eight experts in each, two to a token. */
export const cdrmix = family({
  name: "cdrmix",
  paper: "CDRmix training pipeline (RWKV/Transformer mixture of experts)",
  source: spec,
  class: "CDRmix",
  says: {
    ...rwkvSays,
    heads: heads(128, "d_model / 128", spec),
    d_ff: wide(8 / 3, `${spec}: expert_ffn_hidden`, "8/3"),
    vocab: sourced(50272, `${spec}: tokenizer`),
    context: sourced(4096, "RWKV-7 Goose (arXiv 2503.14456), section 5"),
    norm: "rms",
    activation: "relu2",
    gated: false,
    pattern: repeating("RRR*", `${spec}: 25 % Transformer, interleaved`),
    "moe.experts": sourced(8, spec),
    "moe.top_k": sourced(2, spec),
    "moe.d_ff": same("d_ff", spec),
    "moe.aux_loss": sourced(0.01, spec),
  },
  varies: ["kv_heads", "head_dim", "qkv_bias", "rope_theta"],
  before: [embedding("emb"), ...normTensors("ln0", "rms")],
  layers: [
    layer("rwkv", "letter:R", ...block(timeMix("mix"))),
    layer("transformer", "letter:*", ...block(attention({ at: "mix", qkvBias: "qkv_bias", outBias: "qkv_bias" }))),
  ],
  after: [...normTensors("ln_out", "rms"), head("head")],
  build: {
    model: "CdrmixForCausalLM",
    config: "CdrmixConfig",
    lacks: ["flash"],
    keys: {
      ...rwkvKeys,
      ...rms,
      ...rope,
      num_attention_heads: "heads",
      num_key_value_heads: "kv_heads",
      head_dim: "head_dim",
      attention_bias: "qkv_bias",
      attention_dropout: "dropout",
      pattern: "pattern",
      rwkv_head_dim: "rwkv.head_dim",
      moe_intermediate_size: "moe.d_ff",
      num_local_experts: "moe.experts",
      num_experts_per_tok: "moe.top_k",
      router_aux_loss_coef: "moe.aux_loss",
    },
  },
  ladder: [
    [24, 2048, "CDRmix 1B"],
    [36, 3072, "CDRmix 4B"],
    [64, 6144, "CDRmix 40B"],
    [96, 12288, "CDRmix 200B"],
  ],
  groupedFrom: () => Infinity,
});
