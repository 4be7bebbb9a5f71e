/** From the properties somebody decided to all of them, by the family's defaults. */
import type { Origin } from "../../../dsl/eval/origin.ts";
import type { Draft, Family, Property, Shape } from "../../models/family.ts";
import { nest } from "../../models/shape.ts";
import type { Bound, Scalar } from "../../pipeline.ts";
import { within } from "./within.ts";

/** The order in which defaults may read what stands before them. */
const order = [
  "pattern",
  "layers",
  "ssm.kind",
  "ssm.state",
  "ssm.groups",
  "ssm.expand",
  "ssm.conv",
  "ssm.head_dim",
  "ssm.heads",
  "ssm.dt_rank",
  "rwkv.head_dim",
  "rwkv.decay_rank",
  "rwkv.rate_rank",
  "rwkv.value_rank",
  "rwkv.gate_rank",
  "mla.q_rank",
  "mla.kv_rank",
  "mla.nope_dim",
  "mla.rope_dim",
  "mla.v_dim",
  "heads",
  "head_dim",
  "kv_heads",
  "d_ff",
  "vocab",
  "context",
  "tied",
  "bias",
  "qkv_bias",
  "norm",
  "norm_eps",
  "activation",
  "gated",
  "qk_norm",
  "parallel_residual",
  "norms",
  "positions",
  "rotary_fraction",
  "rope_theta",
  "window",
  "dropout",
  "init_std",
  "moe.experts",
  "moe.top_k",
  "moe.d_ff",
  "moe.shared_experts",
  "moe.shared_d_ff",
  "moe.first_dense",
  "moe.every",
  "moe.capacity",
  "moe.router_bias",
  "moe.aux_loss",
] as const satisfies readonly Exclude<Property, "d_model">[];

export interface Completed {
  readonly shape: Shape;
  /** Of the values that were not decided before. */
  readonly origins: Readonly<Record<string, Origin>>;
}

export type Open = { -readonly [P in Property]?: Draft[P] };

/** Fills in what `pins` leaves open; bounds move a default to the nearest value they admit. */
export function complete(family: Family, pins: Draft, bounds: ReadonlyMap<string, Bound>): Completed | null {
  const draft: Open = { ...pins };
  // A pattern has a letter for each layer.
  if (draft.layers === undefined && draft.pattern !== undefined) draft.layers = draft.pattern.length;
  const origins: Record<string, Origin> = {};
  for (const property of order) {
    if (draft[property] !== undefined) continue;
    const given = family.defaults[property];
    if (given === undefined) continue;
    const wanted: Scalar | null = typeof given.value === "function" ? given.value(draft) : given.value;
    if (wanted === null) return null;
    const value = within(property, wanted, draft, family, bounds);
    Object.assign(draft, { [property]: value });
    origins[property] =
      value !== wanted
        ? { kind: "chosen", by: "sizer", reason: `nearest to the family's ${String(wanted)} that the bound allows` }
        : given.rule === undefined
          ? { kind: "default", by: family.name, source: given.source }
          : {
              kind: "derived",
              rule: given.rule,
              inputs: (given.inputs ?? []).map((input) => `model.${input}`),
              source: given.source,
            };
  }
  return draft.layers === undefined || draft.d_model === undefined
    ? null
    : // Every property of a shape has a default in its family, and the loop gave it one.
      { shape: nest(draft) as Shape, origins };
}
