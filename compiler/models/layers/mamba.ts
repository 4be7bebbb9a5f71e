import type { ByMode, Condition, Extent, Part, Saved } from "../family.ts";
import { linear } from "./linear.ts";
import { normTensors } from "./norm.ts";

type Rows = NonNullable<Saved["rows"]>;

/** The convolution runs past the end, by its width less one. */
const convolvedRows: Rows = (tokens, { ssm }) => tokens + (ssm?.conv ?? 1) - 1;

/** Of a micro-batch, in which one sample is the least. */
const once: Rows = () => 1;

const inner: Extent = ["ssm.expand", "d_model"];

interface Options {
  readonly at?: string;
  readonly bias?: Condition;
}

/**
 * Mamba's mixer (Gu and Dao, arXiv 2312.00752): one state vector per channel, its step size of low rank. What is kept is that
 * of `mamba_selective_scan` in transformers (models/mamba/modeling_mamba.py), which walks through the positions, of a
 * micro-batch of one sample.
 */
export function mamba({ at = "mixer", bias }: Options = {}): Part {
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
    plainly: { flops: [9, inner, "ssm.state"], launches: 12, pairs: [2, inner, "ssm.state"] },
    saved: [
      { name: "input of the mixer", size: "d_model", width: "compute" },
      { name: "gate and convolution's input", size: [2, inner], width: "compute" },
      { name: "convolution's input, which autocast copies", size: inner, width: "cast" },
      { name: "convolution's output", size: inner, width: "compute", rows: convolvedRows },
      { name: "its activation", size: inner, width: "compute" },
      { name: "its activation, fp32", size: inner, width: [0, 4, 4] },
      { name: "step sizes, B and C", size: { sum: ["ssm.dt_rank", [2, "ssm.state"]] }, width: "compute" },
      { name: "step sizes by channel, before and after softplus", size: [2, inner], width: "compute" },
      { name: "B, fp32", size: "ssm.state", width: [0, 4, 4] },
      { name: "decay and input of the state", size: [2, inner, "ssm.state"], width: 4 },
      { name: "rates of decay", size: [inner, "ssm.state"], width: 4, rows: once },
      { name: "skip weights, fp32", size: inner, width: [0, 0, 4], rows: once },
      { name: "states", size: [inner, "ssm.state"], width: [4, 2, 2], rows: (tokens) => tokens + 1 },
      { name: "states, fp32", size: [inner, "ssm.state"], width: [0, 4, 4], rows: (tokens) => tokens - 1 },
      { name: "scan's output", size: inner, width: 4 },
      { name: "gate's activation, input of the output projection", size: [2, inner], width: "compute" },
    ],
  };
}

/** Of operands of products, in fp32 where nothing casts them. */
const carried: ByMode = [4, 2, 4];

const heads: Extent = ["ssm.heads", "ssm.head_dim"];
const convolved: Extent = { sum: [heads, [2, "ssm.groups", "ssm.state"]] };

/**
 * Mamba-2's mixer (Dao and Gu, arXiv 2405.21060): heads with one decay each, B and C shared by groups of them. What is kept is that of
 * `mamba2_chunk_scan` in transformers (models/mamba2/modeling_mamba2.py), of sequences of several chunks.
 */
export function mamba2({ at = "mixer", bias, chunk = 256 }: Options & { readonly chunk?: number } = {}): Part {
  const chunks: Rows = (tokens) => Math.ceil(tokens / chunk);
  const edges: Rows = (tokens, shape) => chunks(tokens, shape) + 1;
  const pairs: Rows = (tokens, shape) => edges(tokens, shape) ** 2;
  const padded: Rows = (tokens, shape) => chunk * chunks(tokens, shape);
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
    plainly: {
      flops: {
        sum: [
          [2, "ssm.heads", chunk, "ssm.state"],
          [2, heads, chunk],
          [4, heads, "ssm.state"],
        ],
      },
    },
    saved: [
      { name: "input of the mixer", size: "d_model", width: "compute" },
      {
        name: "projection: gate, convolution's input, step sizes",
        size: { sum: [heads, convolved, "ssm.heads"] },
        width: [4, 0, 2],
      },
      { name: "convolution's input, which autocast copies", size: convolved, width: "cast" },
      { name: "convolution's output", size: convolved, width: "compute", rows: convolvedRows },
      { name: "values", size: heads, width: 4 },
      { name: "B and C beside the values", size: [2, "ssm.groups", "ssm.state"], width: [4, 0, 0] },
      { name: "values, in chunks", size: heads, width: 4, rows: padded },
      { name: "values by their step sizes", size: [2, heads], width: carried, rows: padded },
      { name: "step sizes", size: [2, "ssm.heads"], width: "compute" },
      { name: "step sizes, fp32", size: "ssm.heads", width: [4, 8, 8] },
      { name: "B and C by heads", size: [4, "ssm.heads", "ssm.state"], width: carried, rows: padded },
      { name: "B, to decay", size: ["ssm.heads", "ssm.state"], width: 4, rows: padded },
      { name: "decay within chunks", size: ["ssm.heads", chunk], width: 4, rows: padded },
      { name: "scores within chunks, and decayed", size: [2, "ssm.heads", chunk], width: carried, rows: padded },
      { name: "decay to and from the ends of chunks", size: [2, "ssm.heads"], width: 4, rows: padded },
      { name: "masks of chunks", size: [2, chunk, chunk], width: 1, rows: once },
      { name: "masks between chunks", size: 2, width: 1, rows: pairs },
      { name: "decay between chunks", size: "ssm.heads", width: [4, 6, 4], rows: pairs },
      { name: "states of chunks", size: [heads, "ssm.state"], width: carried, rows: edges },
      { name: "states at the beginnings of chunks", size: [heads, "ssm.state"], width: carried, rows: chunks },
      { name: "what states add to the output", size: heads, width: carried, rows: padded },
      { name: "gate, fp32", size: heads, width: [0, 4, 4] },
      { name: "scan's output", size: heads, width: 4, rows: padded },
      { name: "gate's activation, gated and normalised", size: [3, heads], width: 4 },
      { name: "deviation of the norm", size: "ssm.groups", width: 4 },
      { name: "input of the output projection", size: heads, width: "compute" },
    ],
  };
}
