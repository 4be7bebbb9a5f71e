import type { Family } from "./family.ts";
import { headsOf } from "./heads.ts";
import { activationSaved, attentionCore } from "./saved.ts";

const source = "transformers models/gpt2/configuration_gpt2.py: GPT2Config";

/** GPT-2 (Radford et al. 2019), as transformers' GPT2LMHeadModel builds it: learned positions, biases everywhere. */
export const gpt2: Family = {
  name: "gpt2",
  class: "GPT2LMHeadModel",
  defaults: {
    heads: {
      value: ({ d_model }) => (d_model === undefined ? null : headsOf(d_model, 64)),
      rule: "d_model / 64, or the nearest divisor (32 up to a width of 256)",
      inputs: ["d_model"],
      source: "GPT-2 (Radford et al. 2019): heads of 64",
    },
    kv_heads: { value: ({ heads }) => heads ?? null, rule: "heads", inputs: ["heads"], source },
    head_dim: {
      value: ({ d_model, heads }) => (d_model === undefined || heads === undefined ? null : d_model / heads),
      rule: "d_model / heads",
      inputs: ["d_model", "heads"],
      source,
    },
    d_ff: {
      value: ({ d_model }) => (d_model === undefined ? null : 4 * d_model),
      rule: "4 * d_model",
      inputs: ["d_model"],
      source,
    },
    vocab: { value: 50257, source },
    context: { value: 1024, source },
    tied: { value: true, source },
    bias: { value: true, source },
    qkv_bias: { value: true, source },
    norm: { value: "layer", source },
    norm_eps: { value: 1e-5, source },
    activation: { value: "gelu_tanh", source },
    gated: { value: false, source },
    qk_norm: { value: false, source },
    parallel_residual: { value: false, source },
    positions: { value: "learned", source },
    rotary_fraction: { value: 0, source: "learned positions rotate nothing" },
    rope_theta: { value: 0, source: "learned positions rotate nothing" },
    dropout: { value: 0, source: "nanoGPT train.py: 0 for pretraining" },
    init_std: { value: 0.02, source },
  },
  fixed: {
    kv_heads: "derived",
    head_dim: "derived",
    bias: [true],
    qkv_bias: [true],
    norm: ["layer"],
    gated: [false],
    qk_norm: [false],
    parallel_residual: [false],
    positions: ["learned"],
    rotary_fraction: [0],
    rope_theta: [0],
  },
  before: [
    { name: "wte", role: "embedding", shape: ["vocab", "d_model"] },
    { name: "wpe", role: "positions", shape: ["context", "d_model"] },
  ],
  layers: [
    {
      kind: "block",
      repeat: "layers",
      attention: "d_model",
      tensors: [
        { name: "ln_1.weight", role: "norm", shape: ["d_model"] },
        { name: "ln_1.bias", role: "norm", shape: ["d_model"] },
        { name: "attn.c_attn.weight", role: "matrix", shape: ["d_model", [3, "d_model"]] },
        { name: "attn.c_attn.bias", role: "bias", shape: [[3, "d_model"]] },
        { name: "attn.c_proj.weight", role: "matrix", shape: ["d_model", "d_model"] },
        { name: "attn.c_proj.bias", role: "bias", shape: ["d_model"] },
        { name: "ln_2.weight", role: "norm", shape: ["d_model"] },
        { name: "ln_2.bias", role: "norm", shape: ["d_model"] },
        { name: "mlp.c_fc.weight", role: "matrix", shape: ["d_model", "d_ff"] },
        { name: "mlp.c_fc.bias", role: "bias", shape: ["d_ff"] },
        { name: "mlp.c_proj.weight", role: "matrix", shape: ["d_ff", "d_model"] },
        { name: "mlp.c_proj.bias", role: "bias", shape: ["d_model"] },
      ],
      saved: [
        { name: "inputs of both norms", size: [2, "d_model"], width: "residual" },
        { name: "inputs of attention and MLP", size: [2, "d_model"], width: "compute" },
        { name: "query, key, value", size: [3, "d_model"], width: "compute" },
        { name: "means and deviations of both norms", size: 4, width: 4 },
        ...attentionCore,
        { name: "dropout masks", size: [2, "d_model"], width: 1, when: "dropout" },
        ...activationSaved,
      ],
    },
  ],
  after: [
    { name: "ln_f.weight", role: "norm", shape: ["d_model"] },
    { name: "ln_f.bias", role: "norm", shape: ["d_model"] },
    { name: "lm_head.weight", role: "head", shape: ["d_model", "vocab"] },
  ],
};
