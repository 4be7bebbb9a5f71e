import type { Draft, Family, Property, Shape } from "../../models/family.ts";
import { valueAt } from "../../models/shape.ts";
import type { Bound, Scalar } from "../../pipeline.ts";
import { isKnown } from "./properties.ts";

export function admits(bound: Bound | undefined, value: Scalar): boolean {
  if (bound === undefined) return true;
  if (bound.oneOf !== null && !bound.oneOf.includes(value)) return false;
  if (typeof value !== "number") return true;
  return (bound.min === null || value >= bound.min) && (bound.max === null || value <= bound.max);
}

/** A bound as a file would say it. */
export function boundText(bound: Bound): string {
  const parts: string[] = [];
  if (bound.oneOf !== null) parts.push(`in [${bound.oneOf.join(", ")}]`);
  if (bound.min !== null && bound.max !== null) parts.push(`in ${bound.min}..${bound.max}`);
  else if (bound.min !== null) parts.push(`>= ${bound.min}`);
  else if (bound.max !== null) parts.push(`<= ${bound.max}`);
  return parts.join(" and ");
}

/** Whether a shape is within all bounds but those on `besides`. What it does not have is within any. */
export function admitsShape(
  bounds: ReadonlyMap<string, Bound>,
  shape: Shape,
  besides: readonly Property[] = [],
): boolean {
  for (const [property, bound] of bounds) {
    if (!isKnown(property) || besides.includes(property)) continue;
    const value = valueAt(shape, property) as Scalar | undefined;
    if (value !== undefined && !admits(bound, value)) return false;
  }
  return true;
}

/** Experts whose width follows the MLP's bound that as well. */
export function withFollowed(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
): ReadonlyMap<string, Bound> {
  const expert = bounds.get("moe.d_ff");
  const follows = family.defaults["moe.d_ff"]?.rule === "d_ff" && pins["moe.d_ff"] === undefined;
  if (expert === undefined || !follows) return bounds;
  return new Map([...bounds, ["d_ff", both(expert, bounds.get("d_ff"))]]);
}

function both(a: Bound, b: Bound | undefined): Bound {
  if (b === undefined) return a;
  const ends = (name: "min" | "max"): number[] => [a[name], b[name]].filter((end) => end !== null);
  const [mins, maxs] = [ends("min"), ends("max")];
  return {
    min: mins.length === 0 ? null : Math.max(...mins),
    max: maxs.length === 0 ? null : Math.min(...maxs),
    oneOf: a.oneOf === null ? b.oneOf : a.oneOf.filter((one) => b.oneOf === null || b.oneOf.includes(one)),
    spans: [...a.spans, ...b.spans],
  };
}
