import type { Bound, Given, Scalar, Settings } from "../pipeline.ts";

/** Does a pin or bound of the layout let a value be chosen? */
export function allows(layout: Settings, property: string, value: Scalar): boolean {
  const given: Given<Scalar> | undefined = layout.given.get(property);
  if (given !== undefined && given.value !== value) return false;
  const bound: Bound | undefined = layout.bounds.get(property);
  if (bound === undefined) return true;
  if (bound.oneOf !== null && !bound.oneOf.includes(value)) return false;
  return (
    typeof value !== "number" ||
    ((bound.min === null || value >= bound.min) && (bound.max === null || value <= bound.max))
  );
}
