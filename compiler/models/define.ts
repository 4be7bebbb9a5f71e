import type { FamilyName, Scalar } from "../pipeline.ts";
import type { Build, Default, Family, Layer, Property, Rung, Tensor, ValueOf, Draft } from "./family.ts";
import { allHeads, headDim, heads, same, wide } from "./rules.ts";

/** What an architecture decides once and for all unless it says that it varies. */
const architecture = [
  "kv_heads",
  "head_dim",
  "bias",
  "qkv_bias",
  "norm",
  "gated",
  "qk_norm",
  "parallel_residual",
  "positions",
  "rotary_fraction",
  "rope_theta",
] as const satisfies readonly Property[];

type Says = { readonly [P in Property]?: ValueOf<P> | Default<ValueOf<P>> };

export interface Statement {
  readonly name: FamilyName;
  readonly paper: string;
  /** Where plain values of `says` come from. */
  readonly source: string;
  readonly class: string;
  /** The family's values and rules, where they differ from a plain Transformer's. */
  readonly says: Says;
  /** What of the architecture a model of the family may choose. */
  readonly varies?: readonly Property[];
  /** Values that some of its properties are limited to. */
  readonly among?: { readonly [P in Property]?: readonly Scalar[] | "derived" };
  readonly before: readonly Tensor[];
  readonly layers: readonly Layer[];
  readonly after: readonly Tensor[];
  readonly build: Build;
  readonly ladder?: readonly Rung[];
  /** The width from which on its shapes share key-value heads where nothing says how many; that of most families where absent. */
  readonly groupedFrom?: (draft: Draft) => number;
  /** Its class refuses heads that do not divide the width of the model, whatever their own width is. */
  readonly evenHeads?: true;
  /** Its norms read and give what products read under CUDA's autocast. */
  readonly narrowNorms?: true;
}

/** The Transformer that families differ from. */
const plain = (source: string): Says => ({
  heads: heads(64, "d_model / 64 (32 up to 256)", source),
  head_dim: headDim(source),
  kv_heads: allHeads(source),
  d_ff: wide(4, source),
  tied: false,
  bias: false,
  qkv_bias: same("bias", source),
  norm: "rms",
  norm_eps: 1e-5,
  activation: "silu",
  gated: true,
  qk_norm: false,
  parallel_residual: false,
  positions: "rope",
  rotary_fraction: 1,
  rope_theta: 10000,
  dropout: 0,
  init_std: 0.02,
});

/** Without attention there is nothing that these could say. */
export const noAttention = {
  heads: 0,
  kv_heads: 0,
  head_dim: 0,
  qkv_bias: false,
  qk_norm: false,
  positions: "none",
  rotary_fraction: 0,
  rope_theta: 0,
} as const satisfies Says;

/** A family from what it says, with the rest of a plain Transformer. */
export function family(statement: Statement): Family {
  const {
    name,
    paper,
    source,
    says,
    varies = [],
    among = {},
    before,
    layers,
    after,
    build,
    ladder,
    groupedFrom,
    evenHeads,
    narrowNorms,
  } = statement;
  const defaults: Record<string, Default> = {};
  for (const [property, said] of Object.entries({ ...plain(source), ...says })) {
    defaults[property] = typeof said === "object" ? (said as Default) : { value: said, source };
  }
  const fixed: Record<string, readonly Scalar[] | "derived"> = {};
  for (const property of architecture) {
    if (varies.includes(property)) continue;
    const value = defaults[property]?.value;
    fixed[property] = value === undefined || typeof value === "function" ? "derived" : [value];
  }
  if (says.heads === 0) fixed["heads"] = [0];
  return {
    name,
    paper,
    class: statement.class,
    defaults,
    fixed: { ...fixed, ...among },
    before,
    layers,
    after,
    build,
    ...(ladder === undefined ? {} : { ladder }),
    ...(groupedFrom === undefined ? {} : { groupedFrom }),
    ...(evenHeads === true ? { evenHeads } : {}),
    ...(narrowNorms === true ? { narrowNorms } : {}),
  };
}

/** An embedding table and the head that reads it back, under the names of most classes. */
export const embedding = (name = "embed_tokens"): Tensor => ({
  name: `${name}.weight`,
  role: "embedding",
  shape: ["vocab", "d_model"],
  split: ["tensor", null],
});

export const learnedPositions = (name: string): Tensor => ({
  name: `${name}.weight`,
  role: "positions",
  shape: ["context", "d_model"],
  when: "positions:learned",
});

export const head = (name = "lm_head"): Tensor => ({
  name: `${name}.weight`,
  role: "head",
  shape: ["d_model", "vocab"],
  split: [null, "tensor"],
});
