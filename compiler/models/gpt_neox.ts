import type { Family } from "./family.ts";
import { headsOf } from "./heads.ts";
import { activationSaved, attentionCore } from "./saved.ts";

const source = "transformers models/gpt_neox/configuration_gpt_neox.py: GPTNeoXConfig";

/** GPT-NeoX (Black et al. 2022, arXiv 2204.06745) and Pythia, as transformers' GPTNeoXForCausalLM builds them. */
export const gptNeox: Family = {
  name: "gpt_neox",
  class: "GPTNeoXForCausalLM",
  defaults: {
    heads: {
      value: ({ d_model }) => (d_model === undefined ? null : headsOf(d_model, d_model >= 2048 ? 128 : 64)),
      rule: "d_model / 64 (128 from 2048 on, 32 up to 256), or the nearest divisor",
      inputs: ["d_model"],
      source: "Pythia (arXiv 2304.01373), table 1",
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
      source: "GPT-NeoX-20B (arXiv 2204.06745), section 2.1",
    },
    vocab: { value: 50432, source },
    context: { value: 2048, source },
    tied: { value: false, source },
    bias: { value: true, source },
    qkv_bias: { value: true, source },
    norm: { value: "layer", source },
    norm_eps: { value: 1e-5, source },
    activation: { value: "gelu", source },
    gated: { value: false, source },
    qk_norm: { value: false, source },
    parallel_residual: { value: true, source },
    positions: { value: "rope", source },
    rotary_fraction: { value: 0.25, source },
    rope_theta: { value: 10000, source },
    dropout: { value: 0, source },
    init_std: { value: 0.02, source },
  },
  fixed: {
    kv_heads: "derived",
    head_dim: "derived",
    bias: [true],
    norm: ["layer"],
    gated: [false],
    qk_norm: [false],
    positions: ["rope"],
  },
  before: [{ name: "embed_in", role: "embedding", shape: ["vocab", "d_model"] }],
  layers: [
    {
      kind: "block",
      repeat: "layers",
      attention: "d_model",
      tensors: [
        { name: "input_layernorm.weight", role: "norm", shape: ["d_model"] },
        { name: "input_layernorm.bias", role: "norm", shape: ["d_model"] },
        { name: "attention.query_key_value.weight", role: "matrix", shape: ["d_model", [3, "d_model"]] },
        { name: "attention.query_key_value.bias", role: "bias", shape: [[3, "d_model"]], when: "qkv_bias" },
        { name: "attention.dense.weight", role: "matrix", shape: ["d_model", "d_model"] },
        { name: "attention.dense.bias", role: "bias", shape: ["d_model"], when: "qkv_bias" },
        { name: "post_attention_layernorm.weight", role: "norm", shape: ["d_model"] },
        { name: "post_attention_layernorm.bias", role: "norm", shape: ["d_model"] },
        { name: "mlp.dense_h_to_4h.weight", role: "matrix", shape: ["d_model", "d_ff"] },
        { name: "mlp.dense_h_to_4h.bias", role: "bias", shape: ["d_ff"] },
        { name: "mlp.dense_4h_to_h.weight", role: "matrix", shape: ["d_ff", "d_model"] },
        { name: "mlp.dense_4h_to_h.bias", role: "bias", shape: ["d_model"] },
      ],
      saved: [
        { name: "input of the first norm", size: "d_model", width: "residual" },
        { name: "input of the second norm", size: "d_model", width: "residual", when: "sequential_residual" },
        { name: "inputs of attention and MLP", size: [2, "d_model"], width: "compute" },
        { name: "fused projection, of which value is a view", size: [3, "d_model"], width: "compute" },
        { name: "rotated query and key", size: [2, "d_model"], width: "compute" },
        { name: "attention output in the order of tokens", size: "d_model", width: "compute" },
        { name: "means and deviations of both norms", size: 4, width: 4 },
        ...attentionCore,
        { name: "dropout masks", size: [2, "d_model"], width: 1, when: "dropout" },
        ...activationSaved,
      ],
    },
  ],
  after: [
    { name: "final_layer_norm.weight", role: "norm", shape: ["d_model"] },
    { name: "final_layer_norm.bias", role: "norm", shape: ["d_model"] },
    { name: "embed_out.weight", role: "head", shape: ["d_model", "vocab"] },
  ],
};
