import type { Condition, Extent, Part, Saved, Width } from "../family.ts";
import { linear } from "./linear.ts";
import { normTensors } from "./norm.ts";

export const queries = ["heads", "head_dim"] as const satisfies Extent;
export const keys = ["kv_heads", "head_dim"] as const satisfies Extent;

const underAutocast: Saved = {
  name: "softmax in fp32, by autocast",
  size: ["heads", 2],
  width: "cast",
  scores: true,
};

/** Written scores go through a softmax in fp32, of which the product reads a copy. */
export const scores: readonly Saved[] = [
  underAutocast,
  { name: "softmax in fp32", size: "heads", width: "wide", scores: true },
  { name: "attention probabilities", size: "heads", width: "compute", scores: true },
];

/** Of classes whose softmax is as wide as its scores. */
export const plainScores: readonly Saved[] = [underAutocast, ...scores.slice(-1)];

/** What attention keeps besides query, key and value: its output, and per head the softmax statistics or the scores. */
export const attentionCore = (written: readonly Saved[] = scores): readonly Saved[] => [
  { name: "attention output", size: queries, width: "compute" },
  { name: "softmax statistics", size: "heads", width: 4 },
  ...written,
  { name: "attention dropout", size: "heads", width: 1, scores: true, when: "dropout" },
];

interface Options {
  /** Prefix of the module's name. */
  readonly at?: string;
  readonly out?: string;
  readonly qkvBias?: Condition | true;
  readonly outBias?: Condition | true;
  /** Queries and keys normalised per head, or over their whole width; always, or when `qk_norm` says so. */
  readonly qkNorm?: {
    readonly over: "head" | "width";
    readonly kind: "rms" | "layer";
    readonly names: readonly [string, string];
    /** Scaled in fp32, before the cast. */
    readonly wide?: true;
  };
  /** A learned logit per head that takes attention away from the tokens. */
  readonly sinks?: true;
  readonly windowed?: true;
  /** What is kept of scores that are written; of most classes the same. */
  readonly written?: readonly Saved[];
  /** Heads rotated in part leave the kernel in another order than the output projection reads. */
  readonly reordered?: true;
}

/** Attention with separate query, key and value projections, grouped where `kv_heads` are fewer than `heads`. */
export function attention(options: Options = {}): Part {
  const { at = "self_attn", out = "o_proj", qkvBias, outBias, qkNorm, sinks, windowed, reordered, written } = options;
  const into = { split: "outputs", ...(qkvBias === undefined ? {} : { bias: qkvBias }) } as const;
  return {
    attention: queries,
    ...(windowed === undefined ? {} : { windowed }),
    tensors: [
      ...linear(`${at}.q_proj`, "d_model", queries, into),
      ...linear(`${at}.k_proj`, "d_model", keys, into),
      ...linear(`${at}.v_proj`, "d_model", keys, into),
      ...linear(`${at}.${out}`, queries, "d_model", {
        split: "inputs",
        ...(outBias === undefined ? {} : { bias: outBias }),
      }),
      ...(qkNorm === undefined
        ? []
        : [
            ...normTensors(
              `${at}.${qkNorm.names[0]}`,
              qkNorm.kind,
              qkNorm.over === "head" ? "head_dim" : queries,
              "qk_norm",
            ),
            ...normTensors(
              `${at}.${qkNorm.names[1]}`,
              qkNorm.kind,
              qkNorm.over === "head" ? "head_dim" : keys,
              "qk_norm",
            ),
          ]),
      ...(sinks === undefined
        ? []
        : [{ name: `${at}.sinks`, role: "state", shape: ["heads"], split: ["tensor"] } as const]),
    ],
    saved: [
      { name: "input of attention", size: "d_model", width: "compute" },
      { name: "copies that autocast makes for keys and values", size: [2, "d_model"], width: "cast" },
      { name: "query", size: queries, width: "compute" },
      { name: "key and value", size: [2, keys], width: "compute" },
      ...(qkNorm === undefined ? [] : normalised(qkNorm.kind, qkNorm.over, qkNorm.wide === true ? 4 : "compute")),
      ...attentionCore(written),
      ...(reordered === undefined
        ? []
        : [{ name: "attention output in the order of tokens", size: queries, width: "compute" } as const]),
    ],
  };
}

function normalised(kind: "rms" | "layer", over: "head" | "width", scaled: Width): Saved[] {
  const both: Extent = { sum: [queries, keys] };
  const rows: Extent = over === "head" ? { sum: ["heads", "kv_heads"] } : 2;
  if (kind === "layer") {
    return [
      { name: "queries and keys before their norms", size: both, width: "compute", when: "qk_norm" },
      { name: "means and deviations of their norms", size: [2, rows], width: 4, when: "qk_norm" },
    ];
  }
  return [
    { name: "queries and keys before their norms", size: both, width: 4, when: "qk_norm" },
    { name: "queries and keys normalised, for their scales", size: both, width: scaled, when: "qk_norm" },
    { name: "deviations of their norms", size: rows, width: 4, when: "qk_norm" },
  ];
}
