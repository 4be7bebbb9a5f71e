import type { Condition, Extent, Part } from "../family.ts";
import { linear } from "./linear.ts";
import { normTensors } from "./norm.ts";

const inner: Extent = ["ssm.expand", "d_model"];

/** Mamba's mixer (Gu and Dao, arXiv 2312.00752): one state vector per channel, its step size of low rank. */
export function mamba({ at = "mixer", bias }: { readonly at?: string; readonly bias?: Condition } = {}): Part {
  const option = bias === undefined ? {} : { bias };
  return {
    // Nine operations per channel and state: discretise, update, read out (state-spaces/mamba, issue 110).
    scan: [9, inner, "ssm.state"],
    tensors: [
      ...linear(`${at}.in_proj`, "d_model", [2, inner], { split: "outputs", ...option }),
      { name: `${at}.conv1d.weight`, role: "state", shape: [inner, "ssm.conv"], split: ["tensor", null] },
      { name: `${at}.conv1d.bias`, role: "state", shape: [inner], split: ["tensor"] },
      ...linear(`${at}.x_proj`, inner, { sum: ["ssm.dt_rank", [2, "ssm.state"]] }, { split: "inputs" }),
      ...linear(`${at}.dt_proj`, "ssm.dt_rank", inner, { split: "outputs", bias: true }),
      { name: `${at}.A_log`, role: "state", shape: [inner, "ssm.state"], split: ["tensor", null] },
      { name: `${at}.D`, role: "state", shape: [inner], split: ["tensor"] },
      ...linear(`${at}.out_proj`, inner, "d_model", { split: "inputs", ...option }),
    ],
    saved: [
      { name: "input of the mixer", size: "d_model", width: "compute" },
      { name: "gate and convolution's input", size: [2, inner], width: "compute" },
      { name: "convolution's output and its activation", size: [2, inner], width: "compute" },
      { name: "step sizes, B and C", size: { sum: ["ssm.dt_rank", [2, "ssm.state"]] }, width: "compute" },
      { name: "step sizes by channel", size: inner, width: 4 },
      { name: "scan's output and gated product", size: [2, inner], width: "compute" },
    ],
  };
}

const heads: Extent = ["ssm.heads", "ssm.head_dim"];
const convolved: Extent = { sum: [heads, [2, "ssm.groups", "ssm.state"]] };

/** Mamba-2's mixer (Dao and Gu, arXiv 2405.21060): heads with one decay each, B and C shared by groups of them. */
export function mamba2({ at = "mixer", bias }: { readonly at?: string; readonly bias?: Condition } = {}): Part {
  const option = bias === undefined ? {} : { bias };
  return {
    // Megatron-LM, training/training.py, mamba_layer_flops: 7 d_inner d_state a token.
    scan: [7, heads, "ssm.state"],
    tensors: [
      ...linear(
        `${at}.in_proj`,
        "d_model",
        { sum: [heads, convolved, "ssm.heads"] },
        { split: "outputs", ...option },
      ),
      { name: `${at}.conv1d.weight`, role: "state", shape: [convolved, "ssm.conv"], split: ["tensor", null] },
      { name: `${at}.conv1d.bias`, role: "state", shape: [convolved], split: ["tensor"] },
      { name: `${at}.dt_bias`, role: "state", shape: ["ssm.heads"], split: ["tensor"] },
      { name: `${at}.A_log`, role: "state", shape: ["ssm.heads"], split: ["tensor"] },
      { name: `${at}.D`, role: "state", shape: ["ssm.heads"], split: ["tensor"] },
      ...normTensors(`${at}.norm`, "rms", heads),
      ...linear(`${at}.out_proj`, heads, "d_model", { split: "inputs", ...option }),
    ],
    saved: [
      { name: "input of the mixer", size: "d_model", width: "compute" },
      {
        name: "projection: gate, convolution's input, step sizes",
        size: { sum: [heads, convolved, "ssm.heads"] },
        width: "compute",
      },
      { name: "convolution's output", size: convolved, width: "compute" },
      { name: "scan's output", size: heads, width: "compute" },
      { name: "states between chunks", size: [heads, "ssm.state", 1 / 128], width: 4 },
      { name: "gated and normalised", size: [2, heads], width: "compute" },
      { name: "gated, fp32", size: heads, width: 4 },
    ],
  };
}
