/** From the properties somebody decided to all of them, by the family's defaults. */
import type { Origin } from "../../../dsl/eval/origin.ts";
import type { Draft, Family, Property, Shape } from "../../models/family.ts";
import { nest } from "../../models/shape.ts";
import type { Bound, Scalar } from "../../pipeline.ts";
import { divisors } from "../../planner/divisors.ts";
import { admits } from "./bounds.ts";

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

type Open = { -readonly [P in Property]?: Draft[P] };

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
    const bound = bounds.get(property);
    const value = admits(bound, wanted) || bound === undefined ? wanted : nearest(property, wanted, draft, bound);
    Object.assign(draft, { [property]: value });
    origins[property] =
      value !== wanted
        ? { kind: "chosen", by: "sizer", reason: `nearest to the family's ${String(wanted)} that the bound admits` }
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

/** The admitted value next to the wanted one; splits of heads only among divisors. */
function nearest(property: Property, wanted: Scalar, draft: Open, bound: Bound): Scalar {
  if (typeof wanted !== "number") return bound.oneOf?.[0] ?? wanted;
  const whole = property === "heads" ? draft.d_model : property === "kv_heads" ? draft.heads : undefined;
  const among = whole === undefined ? (bound.oneOf ?? []) : divisors(whole);
  const admitted = among.filter((value): value is number => typeof value === "number" && admits(bound, value));
  // Tensor-parallel ranks come in powers of two, and share key-value heads out evenly.
  const even = property === "kv_heads" ? admitted.filter((value) => Number.isInteger(Math.log2(value))) : [];
  const fit = even.length > 0 ? even : admitted;
  const distance = (value: number): number => Math.abs(value - wanted);
  if (fit.length > 0) return fit.reduce((best, value) => (distance(value) < distance(best) ? value : best));
  return Math.min(Math.max(wanted, bound.min ?? -Infinity), bound.max ?? Infinity);
}
