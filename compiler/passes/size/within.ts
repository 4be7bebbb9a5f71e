/** A value that the family gives, as bounds have it. */
import type { Family, Property } from "../../models/family.ts";
import { splitsWidth } from "../../models/heads.ts";
import type { Bound, Scalar } from "../../pipeline.ts";
import { divisors } from "../../planner/divisors.ts";
import { admits } from "./bounds.ts";
import type { Open } from "./complete.ts";

/** What was wanted, or what is next to it of what bounds admit and the family has. */
export function within(
  property: Property,
  wanted: Scalar,
  draft: Open,
  family: Family,
  bounds: ReadonlyMap<string, Bound>,
): Scalar {
  const bound = bounds.get(property);
  const only = family.fixed[property];
  // What follows from others moves with them.
  if (only === "derived") return wanted;
  if (property === "heads" && typeof wanted === "number") return headsWithin(wanted, draft, family, bounds);
  if (bound === undefined || admits(bound, wanted)) return wanted;
  return only === undefined
    ? nearest(property, wanted, draft, bound)
    : (only.find((one) => admits(bound, one)) ?? wanted);
}

/** As many heads as were wanted, or next to it where bounds on them, on their width or on those that share keys ask for others. */
function headsWithin(wanted: number, draft: Open, family: Family, bounds: ReadonlyMap<string, Bound>): number {
  const [own, width] = [bounds.get("heads"), bounds.get("head_dim")];
  // A width that the family has whatever the model's is bounded by itself.
  const follows = draft.head_dim === undefined && typeof family.defaults.head_dim?.value === "function";
  const of = (heads: number): number => (draft.d_model ?? 0) / heads;
  const shared =
    family.fixed.kv_heads === undefined && draft.kv_heads === undefined ? bounds.get("kv_heads") : undefined;
  const isWithin = (heads: number): boolean =>
    admits(own, heads) &&
    (!follows || admits(width, of(heads))) &&
    (shared === undefined || divisors(heads).some((groups) => admits(shared, groups)));
  if (wanted === 0 || isWithin(wanted)) return wanted;
  const isOwn = !splitsWidth(family, { head_dim: draft.head_dim ?? Number(family.defaults.head_dim?.value) });
  const free = isOwn ? Array.from({ length: 8 * Math.ceil(wanted) }, (_, i) => i + 1) : [];
  const fit = [...divisors(draft.d_model ?? 1), ...free].filter(isWithin);
  const distance = (heads: number): number =>
    Math.abs(Math.log(heads / wanted)) + (of(heads) % 8 === 0 ? 0 : Math.log(2));
  return fit.reduce((best, heads) => (distance(heads) < distance(best) ? heads : best), fit[0] ?? wanted);
}

/** Widths and groups that come in powers of two, or in three halves of one. */
const rounded: ReadonlySet<Property> = new Set([
  "head_dim",
  "ssm.state",
  "ssm.groups",
  "ssm.head_dim",
  "rwkv.head_dim",
  "mla.nope_dim",
  "mla.rope_dim",
  "mla.v_dim",
]);
/** Widths of matrices, which come in whole tiles of tensor cores. */
const tiled: ReadonlySet<Property> = new Set(["d_ff", "moe.d_ff", "moe.shared_d_ff", "mla.q_rank", "mla.kv_rank"]);
const powers = Array.from({ length: 24 }, (_, power) => 2 ** power);

/** The admitted value next to the wanted one; key-value heads only among divisors of the heads. */
function nearest(property: Property, wanted: Scalar, draft: Open, bound: Bound): Scalar {
  if (typeof wanted !== "number") return bound.oneOf?.find((one) => admits(bound, one)) ?? wanted;
  const among = property === "kv_heads" && draft.heads !== undefined ? divisors(draft.heads) : (bound.oneOf ?? []);
  const admitted = among.filter((value): value is number => typeof value === "number" && admits(bound, value));
  // Tensor-parallel ranks come in powers of two, and share key-value heads out evenly.
  const even = property === "kv_heads" ? admitted.filter((value) => Number.isInteger(Math.log2(value))) : [];
  const fit = even.length > 0 ? even : admitted;
  const distance = (value: number): number => Math.abs(value - wanted);
  const closest = (values: readonly number[]): number =>
    values.reduce((best, value) => (distance(value) < distance(best) ? value : best), values[0] ?? wanted);
  if (fit.length > 0) return closest(fit);
  const clamped = Math.min(Math.max(wanted, bound.min ?? -Infinity), bound.max ?? Infinity);
  const steps = rounded.has(property)
    ? [powers, powers.map((power) => 1.5 * power)]
    : tiled.has(property)
      ? [128, 64, 8].map((step) => [Math.floor(clamped / step) * step, Math.ceil(clamped / step) * step])
      : [];
  const round = steps
    .map((values) => values.filter((value) => value >= 1 && admits(bound, value)))
    .find((values) => values.length > 0);
  return round === undefined ? clamped : closest(round);
}
