import { embedding, family, head, noAttention, type Statement } from "./define.ts";
import type { Build } from "./family.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { channelMix, timeMix } from "./layers/rwkv7.ts";
import { of, sourced, wide } from "./rules.ts";

const paper = "RWKV-7 Goose (arXiv 2503.14456)";
const code = "BlinkDL/RWKV-LM, RWKV-v7: suggested ranks, as the published 0.1B to 7.2B have them";

const to32 = (value: number): number => Math.max(32, Math.round(value / 32) * 32);

/** Heads of 64 and projections whose rank grows with the width. */
export const rwkvSays = {
  "rwkv.head_dim": sourced(64, `${paper}, section 4`),
  "rwkv.decay_rank": of(
    ["d_model"],
    "1.8 * sqrt(d_model), to a multiple of 32",
    (d) => to32(1.8 * Math.sqrt(d)),
    code,
  ),
  "rwkv.rate_rank": of(
    ["d_model"],
    "1.8 * sqrt(d_model), to a multiple of 32",
    (d) => to32(1.8 * Math.sqrt(d)),
    code,
  ),
  "rwkv.value_rank": of(
    ["d_model"],
    "1.3 * sqrt(d_model), to a multiple of 32",
    (d) => to32(1.3 * Math.sqrt(d)),
    code,
  ),
  "rwkv.gate_rank": of(
    ["d_model"],
    "0.6 * d_model^0.8, to a multiple of 32 (128 at 1024)",
    (d) => (d === 1024 ? 128 : to32(0.6 * d ** 0.8)),
    code,
  ),
} satisfies Statement["says"];

/** Keys of the trainer's own classes. */
export const rwkvKeys = {
  hidden_size: "d_model",
  num_hidden_layers: "layers",
  max_position_embeddings: "context",
  decay_rank: "rwkv.decay_rank",
  rate_rank: "rwkv.rate_rank",
  value_rank: "rwkv.value_rank",
  gate_rank: "rwkv.gate_rank",
} as const satisfies Build["keys"];

/** RWKV-7: a recurrence per head instead of attention. Counts are those of the published checkpoints, which hold the first layer's unused value mix. */
export const rwkv7 = family({
  name: "rwkv7",
  paper: "RWKV-7 Goose (Peng et al. 2025, arXiv 2503.14456)",
  source: paper,
  class: "RWKV-7",
  says: {
    ...noAttention,
    ...rwkvSays,
    d_ff: wide(4, `${paper}, section 4`),
    vocab: sourced(65536, `${paper}, the World tokenizer`),
    context: sourced(4096, `${paper}, section 5; the recurrence has no limit`),
    norm: "layer",
    activation: "relu2",
    gated: false,
  },
  among: { activation: ["relu2"] },
  before: [embedding("emb"), ...normTensors("blocks.0.ln0", "layer")],
  layers: [layer("block", "layers", norm("ln1", "layer"), timeMix(), norm("ln2", "layer"), channelMix())],
  after: [...normTensors("ln_out", "layer"), head("head")],
  build: {
    model: "Rwkv7ForCausalLM",
    config: "Rwkv7Config",
    lacks: ["sdpa", "flash"],
    keys: {
      ...rwkvKeys,
      intermediate_size: "d_ff",
      head_dim: "rwkv.head_dim",
      norm_eps: "norm_eps",
    },
  },
  ladder: [
    [12, 768, "RWKV-7 0.1B"],
    [24, 1024, "RWKV-7 0.4B"],
    [24, 2048, "RWKV-7 1.5B"],
    [32, 2560, "RWKV-7 2.9B"],
    [32, 4096, "RWKV-7 7.2B"],
  ],
});
