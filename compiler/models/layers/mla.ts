import type { Extent, Part } from "../family.ts";
import { scores } from "./attention.ts";
import { linear } from "./linear.ts";
import { normTensors } from "./norm.ts";

const head: Extent = { sum: ["mla.nope_dim", "mla.rope_dim"] };
const queries: Extent = ["heads", head];
const values: Extent = ["heads", "mla.v_dim"];

/** Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1). */
export function mla(at = "self_attn"): Part {
  return {
    // Scores cost heads * (nope + rope), the weighted sum heads * v.
    attention: [0.5, { sum: [queries, values] }],
    tensors: [
      ...linear(`${at}.q_proj`, "d_model", queries, { split: "outputs", when: "no:mla.q_rank" }),
      ...linear(`${at}.q_a_proj`, "d_model", "mla.q_rank", { bias: "qkv_bias", when: "has:mla.q_rank" }),
      ...normTensors(`${at}.q_a_layernorm`, "rms", "mla.q_rank", "has:mla.q_rank"),
      ...linear(`${at}.q_b_proj`, "mla.q_rank", queries, { split: "outputs", when: "has:mla.q_rank" }),
      ...linear(
        `${at}.kv_a_proj_with_mqa`,
        "d_model",
        { sum: ["mla.kv_rank", "mla.rope_dim"] },
        { bias: "qkv_bias" },
      ),
      ...normTensors(`${at}.kv_a_layernorm`, "rms", "mla.kv_rank"),
      ...linear(`${at}.kv_b_proj`, "mla.kv_rank", ["heads", { sum: ["mla.nope_dim", "mla.v_dim"] }], {
        split: "outputs",
      }),
      ...linear(`${at}.o_proj`, values, "d_model", { split: "inputs", bias: "qkv_bias" }),
    ],
    saved: [
      { name: "input of attention", size: "d_model", width: "compute" },
      { name: "a copy that autocast makes for keys and values", size: "d_model", width: "cast" },
      { name: "latent queries before their norm", size: "mla.q_rank", width: 4 },
      { name: "latent queries normalised", size: [2, "mla.q_rank"], width: "compute" },
      { name: "latent keys and values before their norm", size: "mla.kv_rank", width: 4 },
      { name: "latent keys and values normalised", size: [2, "mla.kv_rank"], width: "compute" },
      { name: "query and key", size: [2, queries], width: "compute" },
      { name: "value", size: values, width: "compute" },
      { name: "attention output", size: values, width: "compute" },
      { name: "softmax statistics", size: "heads", width: 4 },
      ...scores,
    ],
  };
}
