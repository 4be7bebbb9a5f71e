import { rms, rope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import type { Default } from "./family.ts";
import { attention } from "./layers/attention.ts";
import { gatedMlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { heads, sourced, wide } from "./rules.ts";

const all = wide(8 / 3, "LLaMA (arXiv 2302.13971), section 2.2; meta-llama/llama model.py: FeedForward", "8/3");
const some = wide(3.5, "Llama 2 (arXiv 2307.09288), appendix A.2.1: wider where grouped queries save parameters");

/** Grouped queries make room that Llama 2 and 3 give to the feed-forward part. */
const feedForward: Default<number> = {
  value: (draft) => {
    const { value } = draft.kv_heads === draft.heads ? all : some;
    return typeof value === "function" ? value(draft) : value;
  },
  rule: `${all.rule ?? ""}; 3.5 * d_model with fewer kv_heads than heads`,
  inputs: ["d_model", "kv_heads", "heads"],
  source: `${all.source}; ${some.source}`,
};

/**
 * LLaMA 1 to 3. `bias` is the MLP's (`mlp_bias`), `qkv_bias` the attention's (`attention_bias`, which gives the output
 * projection one too); `dropout` acts on attention probabilities, the only place where the class has any.
 */
export const llama = family({
  name: "llama",
  paper: "LLaMA (Touvron et al. 2023, arXiv 2302.13971); Llama 3 (arXiv 2407.21783)",
  source: "transformers models/llama/configuration_llama.py: LlamaConfig",
  class: "LlamaForCausalLM",
  says: {
    heads: heads(
      (d) => (d >= 3072 ? 128 : 64),
      "d_model / 64 (128 from 3072 on, 32 up to 256)",
      "Llama 3.2 1B and 3B model cards; LLaMA (arXiv 2302.13971), table 2",
    ),
    d_ff: feedForward,
    vocab: 32000,
    context: 2048,
    norm_eps: sourced(1e-5, "Llama 2 and 3, config.json: rms_norm_eps"),
  },
  varies: ["kv_heads", "head_dim", "bias", "qkv_bias", "rope_theta"],
  before: [embedding()],
  layers: [
    layer(
      "block",
      "layers",
      norm("input_layernorm", "rms"),
      attention({ qkvBias: "qkv_bias", outBias: "qkv_bias" }),
      norm("post_attention_layernorm", "rms"),
      gatedMlp({ bias: "bias" }),
    ),
  ],
  after: [...normTensors("norm", "rms"), head()],
  build: {
    model: "LlamaForCausalLM",
    config: "LlamaConfig",
    keys: { ...usual, ...rms, ...rope, head_dim: "head_dim", attention_bias: "qkv_bias", mlp_bias: "bias" },
  },
  ladder: [
    [4, 128, "4 x 128"],
    [6, 256, "Pythia 31M"],
    [12, 768, "GPT-2 124M and GPT-3 Small"],
    [16, 2048, "Llama 3.2 1B"],
    [28, 3072, "Llama 3.2 3B"],
    [32, 4096, "LLaMA 7B and Llama 3.1 8B"],
    [40, 5120, "LLaMA 13B"],
    [60, 6656, "LLaMA 33B"],
    [80, 8192, "LLaMA 65B and Llama 3.1 70B"],
    [126, 16384, "Llama 3.1 405B"],
  ],
  evenHeads: true,
  // Whoever has a table of Llama 3's kind has its shared keys too, at every published width (arXiv 2407.21783, table 3; Llama 3.2 model cards).
  groupedFrom: ({ vocab = 0 }) => (vocab >= 100_000 ? 2048 : 7168),
});
