import type { Family } from "./family.ts";
import { headsOf } from "./heads.ts";
import { activationSaved, attentionCore } from "./saved.ts";

const source = "transformers models/llama/configuration_llama.py: LlamaConfig";
const queries = ["heads", "head_dim"] as const;
const keys = ["kv_heads", "head_dim"] as const;

/** Rounds up as LLaMA's code does with `multiple_of`; small models take smaller multiples. */
function feedForward(dModel: number): number {
  const multiple = dModel >= 1024 ? 256 : dModel >= 256 ? 64 : 32;
  return Math.ceil((8 * dModel) / 3 / multiple) * multiple;
}

const wanted = (dModel: number): number => (dModel >= 3072 ? 128 : 64);

/**
 * LLaMA (Touvron et al. 2023, arXiv 2302.13971), as transformers' LlamaForCausalLM builds it. `bias` is the MLP's
 * (`mlp_bias`), `qkv_bias` the attention's (`attention_bias`, which gives the output projection one too); `dropout`
 * acts on attention probabilities, the only place where the class has any.
 */
export const llama: Family = {
  name: "llama",
  class: "LlamaForCausalLM",
  defaults: {
    heads: {
      value: ({ d_model, head_dim }) =>
        d_model === undefined ? null : headsOf(d_model, head_dim ?? wanted(d_model)),
      rule: "d_model / 64 (128 from 3072 on, 32 up to 256), or the nearest divisor",
      inputs: ["d_model"],
      source: "Llama 3.2 1B and 3B model cards; LLaMA (arXiv 2302.13971), table 2",
    },
    kv_heads: { value: ({ heads }) => heads ?? null, rule: "heads", inputs: ["heads"], source },
    head_dim: {
      value: ({ d_model, heads }) => (d_model === undefined || heads === undefined ? null : d_model / heads),
      rule: "d_model / heads",
      inputs: ["d_model", "heads"],
      source,
    },
    d_ff: {
      value: ({ d_model }) => (d_model === undefined ? null : feedForward(d_model)),
      rule: "8/3 * d_model, rounded up to a multiple of 256 (64 below 1024, 32 below 256)",
      inputs: ["d_model"],
      source: "LLaMA (arXiv 2302.13971), section 2.2; meta-llama/llama model.py: FeedForward",
    },
    vocab: { value: 32000, source },
    context: { value: 2048, source },
    tied: { value: false, source },
    bias: { value: false, source },
    qkv_bias: { value: ({ bias }) => bias ?? null, rule: "bias", inputs: ["bias"], source },
    norm: { value: "rms", source },
    norm_eps: { value: 1e-5, source: "Llama 2 and 3, config.json: rms_norm_eps" },
    activation: { value: "silu", source },
    gated: { value: true, source },
    qk_norm: { value: false, source },
    parallel_residual: { value: false, source },
    positions: { value: "rope", source },
    rotary_fraction: { value: 1, source },
    rope_theta: { value: 10000, source },
    dropout: { value: 0, source },
    init_std: { value: 0.02, source },
  },
  fixed: {
    norm: ["rms"],
    gated: [true],
    qk_norm: [false],
    parallel_residual: [false],
    positions: ["rope"],
    rotary_fraction: [1],
  },
  before: [{ name: "embed_tokens", role: "embedding", shape: ["vocab", "d_model"] }],
  layers: [
    {
      kind: "block",
      repeat: "layers",
      attention: queries,
      tensors: [
        { name: "input_layernorm.weight", role: "norm", shape: ["d_model"] },
        { name: "self_attn.q_proj.weight", role: "matrix", shape: ["d_model", queries] },
        { name: "self_attn.q_proj.bias", role: "bias", shape: [queries], when: "qkv_bias" },
        { name: "self_attn.k_proj.weight", role: "matrix", shape: ["d_model", keys] },
        { name: "self_attn.k_proj.bias", role: "bias", shape: [keys], when: "qkv_bias" },
        { name: "self_attn.v_proj.weight", role: "matrix", shape: ["d_model", keys] },
        { name: "self_attn.v_proj.bias", role: "bias", shape: [keys], when: "qkv_bias" },
        { name: "self_attn.o_proj.weight", role: "matrix", shape: [queries, "d_model"] },
        { name: "self_attn.o_proj.bias", role: "bias", shape: ["d_model"], when: "qkv_bias" },
        { name: "post_attention_layernorm.weight", role: "norm", shape: ["d_model"] },
        { name: "mlp.gate_proj.weight", role: "matrix", shape: ["d_model", "d_ff"] },
        { name: "mlp.gate_proj.bias", role: "bias", shape: ["d_ff"], when: "bias" },
        { name: "mlp.up_proj.weight", role: "matrix", shape: ["d_model", "d_ff"] },
        { name: "mlp.up_proj.bias", role: "bias", shape: ["d_ff"], when: "bias" },
        { name: "mlp.down_proj.weight", role: "matrix", shape: ["d_ff", "d_model"] },
        { name: "mlp.down_proj.bias", role: "bias", shape: ["d_model"], when: "bias" },
      ],
      saved: [
        { name: "normalised inputs of both norms' scales", size: [2, "d_model"], width: "residual" },
        { name: "residual stream into both norms", size: [2, "d_model"], width: 4 },
        { name: "inputs of attention and MLP", size: [2, "d_model"], width: "compute" },
        { name: "copies that autocast makes for each further product", size: [3, "d_model"], width: "cast" },
        { name: "query", size: queries, width: "compute" },
        { name: "key and value", size: [2, "kv_heads", "head_dim"], width: "compute" },
        { name: "deviations of both norms", size: 2, width: 4 },
        ...attentionCore,
        { name: "up", size: "d_ff", width: "compute" },
        { name: "gated product", size: "d_ff", width: "compute" },
        ...activationSaved,
      ],
    },
  ],
  after: [
    { name: "norm.weight", role: "norm", shape: ["d_model"] },
    { name: "lm_head.weight", role: "head", shape: ["d_model", "vocab"] },
  ],
};
