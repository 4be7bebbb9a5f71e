import type { Bound, Scalar } from "../../pipeline.ts";

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
