import { embedding, family, head, learnedPositions } from "./define.ts";
import { attentionCore } from "./layers/attention.ts";
import { linear } from "./layers/linear.ts";
import { mlp } from "./layers/mlp.ts";
import { normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import type { Part } from "./family.ts";
import { heads, sourced, wide } from "./rules.ts";

const blog = "MPT-7B (MosaicML 2023), MPT-30B (MosaicML 2023)";

/** LayerNorm whose shift goes with the biases. */
const norm = (name: string): Part => ({
  tensors: normTensors(name, "layer", "d_model", undefined, "bias"),
  saved: [
    { name: `${name}: residual stream`, size: "d_model", width: "residual" },
    { name: `${name}: mean and deviation`, size: 2, width: 4 },
  ],
});

/** MPT as llm-foundry has it: no biases and ALiBi as published, biases and learned positions where a file says so. */
export const mpt = family({
  name: "mpt",
  paper: blog,
  source: "transformers models/mpt/configuration_mpt.py: MptConfig",
  class: "MptForCausalLM",
  says: {
    heads: heads(128, "d_model / 128", blog),
    d_ff: wide(4, "llm-foundry: expansion_ratio 4"),
    vocab: 50368,
    context: 2048,
    tied: true,
    norm: "layer",
    activation: "gelu",
    gated: false,
    positions: sourced("alibi", blog),
    rotary_fraction: sourced(0, "ALiBi rotates nothing"),
    rope_theta: sourced(0, "ALiBi rotates nothing"),
  },
  varies: ["bias", "positions"],
  among: { positions: ["alibi", "learned"], d_ff: "derived", qkv_bias: "derived", activation: ["gelu"] },
  before: [embedding("wte"), learnedPositions("wpe")],
  layers: [
    layer(
      "block",
      "layers",
      norm("norm_1"),
      {
        attention: "d_model",
        tensors: [
          ...linear("attn.Wqkv", "d_model", [3, "d_model"], { split: "outputs", bias: "bias" }),
          ...linear("attn.out_proj", "d_model", "d_model", { split: "inputs", bias: "bias" }),
        ],
        saved: [
          { name: "input of attention", size: "d_model", width: "compute" },
          { name: "query, key, value", size: [3, "d_model"], width: "compute" },
          ...attentionCore(),
        ],
      },
      norm("norm_2"),
      mlp({ at: "ffn", bias: "bias" }),
    ),
  ],
  after: [...normTensors("norm_f", "layer", "d_model", undefined, "bias"), head()],
  build: {
    model: "MptForCausalLM",
    config: "MptConfig",
    lacks: ["sdpa", "flash"],
    keys: {
      d_model: "d_model",
      n_heads: "heads",
      n_layers: "layers",
      max_seq_len: "context",
      resid_pdrop: "dropout",
      emb_pdrop: "dropout",
      layer_norm_epsilon: "norm_eps",
    },
    only: { bias: [false], positions: ["alibi"] },
  },
});
