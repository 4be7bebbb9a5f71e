import { activation, rms, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import { sandwich, slidingTypes } from "./gemma2.ts";
import { attention } from "./layers/attention.ts";
import { normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { heads, repeating, sharing, sourced, wide } from "./rules.ts";

const report = "Gemma 3 (arXiv 2503.19786)";
const options = {
  qkvBias: "qkv_bias",
  outBias: "qkv_bias",
  qkNorm: { over: "head", kind: "rms", names: ["q_norm", "k_norm"], wide: true },
} as const;

/** Gemma 3's text model: five local layers to a global one, queries and keys normalised. */
export const gemma3 = family({
  name: "gemma3",
  paper: "Gemma 3 (Gemma Team 2025, arXiv 2503.19786)",
  source: "transformers models/gemma3/configuration_gemma3.py: Gemma3TextConfig",
  class: "Gemma3ForCausalLM",
  says: {
    heads: heads(256, "d_model / 256", "Gemma 3, config.json: heads and head_dim"),
    head_dim: sourced(256, "Gemma 3 1B, 4B and 12B, config.json: head_dim"),
    kv_heads: sharing(2, "Gemma 3 4B, 12B and 27B, config.json"),
    d_ff: wide(4, "Gemma 3 4B and 12B, config.json: intermediate_size / hidden_size"),
    vocab: sourced(262144, `${report}, section 2.2`),
    context: 131072,
    tied: true,
    norm_eps: 1e-6,
    activation: "gelu_tanh",
    qk_norm: true,
    rope_theta: sourced(1e6, `${report}, section 2: global layers`),
    window: sourced(1024, `${report}, section 2`),
    pattern: repeating("LLLLLG", `${report}, section 2: five local layers to a global one`),
  },
  varies: ["kv_heads", "head_dim", "qkv_bias", "rope_theta"],
  before: [embedding()],
  layers: [
    layer("local", "letter:L", ...sandwich(attention({ ...options, windowed: true }))),
    layer("global", "letter:G", ...sandwich(attention(options))),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "Gemma3ForCausalLM",
    config: "Gemma3TextConfig",
    keys: {
      ...usual,
      ...rms,
      head_dim: "head_dim",
      attention_bias: "qkv_bias",
      hidden_activation: activation,
      query_pre_attn_scalar: "head_dim",
      sliding_window: "window",
      layer_types: slidingTypes,
      rope_parameters: ({ rope_theta }) => ({
        full_attention: { rope_type: "default", rope_theta },
        sliding_attention: { rope_type: "default", rope_theta: 10000 },
      }),
    },
  },
  ladder: [
    [18, 640, "Gemma 3 270M"],
    [26, 1152, "Gemma 3 1B"],
    [34, 2560, "Gemma 3 4B"],
    [48, 3840, "Gemma 3 12B"],
    [62, 5376, "Gemma 3 27B"],
  ],
  evenHeads: true,
});
