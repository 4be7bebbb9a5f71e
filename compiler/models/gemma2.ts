import { activation, rms, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import type { Json, Part, Saved, Shape } from "./family.ts";
import { attention, scores } from "./layers/attention.ts";
import { gatedMlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { heads, repeating, sharing, sourced, wide } from "./rules.ts";

const table = "Gemma 2 (arXiv 2408.00118), table 1";

/** Norms before and after each half, from Gemma 2 on. */
export const sandwich = (attended: Part): readonly Part[] => [
  norm("input_layernorm", "rms", undefined, 4),
  attended,
  norm("post_attention_layernorm", "rms", undefined, 4),
  norm("pre_feedforward_layernorm", "rms", undefined, 4),
  gatedMlp(),
  norm("post_feedforward_layernorm", "rms", undefined, 4),
];

/** Letters of layers with a window, `L` (local), and without, `G` (global), as the class names them. */
export const slidingTypes = ({ pattern = "" }: Shape): Json =>
  [...pattern].map((letter) => (letter === "G" ? "full_attention" : "sliding_attention"));

/** The cap is a hyperbolic tangent, which keeps what it gave. */
const capped: readonly Saved[] = [
  ...scores,
  { name: "capped scores", size: "heads", width: "compute", scores: true },
];

const options = { qkvBias: "qkv_bias", outBias: "qkv_bias", written: capped } as const;

/** Gemma 2: every other layer looks back 4096 tokens only. */
export const gemma2 = family({
  name: "gemma2",
  paper: "Gemma 2 (Gemma Team 2024, arXiv 2408.00118)",
  source: "transformers models/gemma2/configuration_gemma2.py: Gemma2Config",
  class: "Gemma2ForCausalLM",
  says: {
    heads: heads(256, "d_model / 256", table),
    head_dim: sourced(256, table),
    kv_heads: sharing(2, table),
    d_ff: wide(4, `${table}: 8 d_model for gate and up together`),
    vocab: 256000,
    context: 8192,
    tied: true,
    norm_eps: 1e-6,
    activation: "gelu_tanh",
    window: 4096,
    pattern: repeating("LG", "Gemma 2 (arXiv 2408.00118), section 2: every other layer"),
  },
  varies: ["kv_heads", "head_dim", "qkv_bias", "rope_theta"],
  before: [embedding()],
  layers: [
    layer("local", "letter:L", ...sandwich(attention({ ...options, windowed: true }))),
    layer("global", "letter:G", ...sandwich(attention(options))),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "Gemma2ForCausalLM",
    config: "Gemma2Config",
    lacks: ["sdpa"],
    keys: {
      ...usual,
      ...rms,
      ...rope,
      head_dim: "head_dim",
      attention_bias: "qkv_bias",
      hidden_activation: activation,
      query_pre_attn_scalar: "head_dim",
      sliding_window: "window",
      layer_types: slidingTypes,
    },
  },
  ladder: [
    [26, 2304, "Gemma 2 2B"],
    [42, 3584, "Gemma 2 9B"],
    [46, 4608, "Gemma 2 27B"],
  ],
  evenHeads: true,
});
