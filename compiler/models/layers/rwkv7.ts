import type { Extent, Part, Tensor } from "../family.ts";
import { linear } from "./linear.ts";

const vector = (name: string, width: Extent = "d_model"): Tensor => ({ name, role: "state", shape: [width] });

/** A projection of low rank with an offset: decay, learning rate, value mix. */
function lowRank(name: string, rank: Extent, offset: boolean): Tensor[] {
  return [
    ...(offset ? [vector(`${name}0`)] : []),
    { name: `${name}1`, role: "matrix", shape: ["d_model", rank] },
    { name: `${name}2`, role: "matrix", shape: [rank, "d_model"], split: [null, "tensor"] },
  ];
}

/** RWKV-7's time mix (Peng et al., arXiv 2503.14456, section 4): a state of `head_dim` squared per head, moved by a generalised delta rule. */
export function timeMix(at = "att"): Part {
  return {
    // Decay 1, removal 4, writing 2, reading 2 operations for each of d_model * head_dim elements of state (equation 15 there).
    scan: [9, "d_model", "rwkv.head_dim"],
    tensors: [
      ...["x_r", "x_w", "x_k", "x_v", "x_a", "x_g", "k_k", "k_a", "r_k"].map((name) => vector(`${at}.${name}`)),
      ...lowRank(`${at}.w`, "rwkv.decay_rank", true),
      ...lowRank(`${at}.a`, "rwkv.rate_rank", true),
      ...lowRank(`${at}.v`, "rwkv.value_rank", true),
      ...lowRank(`${at}.g`, "rwkv.gate_rank", false),
      ...["receptance", "key", "value"].flatMap((name) =>
        linear(`${at}.${name}`, "d_model", "d_model", { split: "outputs" }),
      ),
      ...linear(`${at}.output`, "d_model", "d_model", { split: "inputs" }),
      vector(`${at}.ln_x.weight`),
      vector(`${at}.ln_x.bias`),
    ],
    saved: [
      { name: "inputs of the six mixes", size: [6, "d_model"], width: "compute" },
      { name: "receptance, decay, key, value, removal, rate, gate", size: [8, "d_model"], width: "compute" },
      {
        name: "low-rank vectors",
        size: { sum: ["rwkv.decay_rank", "rwkv.rate_rank", "rwkv.value_rank", "rwkv.gate_rank"] },
        width: "compute",
      },
      { name: "states between chunks", size: ["d_model", "rwkv.head_dim", 1 / 16], width: 4 },
      { name: "read out, normalised, gated", size: [3, "d_model"], width: "compute" },
    ],
  };
}

/** RWKV-7's channel mix: a squared ReLU on the token mixed with the one before. */
export function channelMix(at = "ffn"): Part {
  return {
    tensors: [
      vector(`${at}.x_k`),
      ...linear(`${at}.key`, "d_model", "d_ff", { split: "outputs" }),
      ...linear(`${at}.value`, "d_ff", "d_model", { split: "inputs" }),
    ],
    saved: [
      { name: "input of the channel mix", size: [2, "d_model"], width: "compute" },
      { name: "ReLU and its square", size: [2, "d_ff"], width: "compute" },
    ],
  };
}
