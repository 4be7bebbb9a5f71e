/** What numbers a type takes, in words. */
import { type NumberType, one } from "./type.ts";
import { isDimensionless, spokenDimension } from "./units.ts";
import { number, type NumberValue, showNumber } from "./value.ts";

/** `tokens or steps, or shares of the run (%)`. */
export function countedIn(type: NumberType): string {
  const known = type.dimensions.filter((d) => !isDimensionless(d)).map(spokenDimension);
  const plain =
    known.length === 0 ||
    (type.dimensions.length > known.length && (type.percent === undefined || type.percent === one));
  const shares = type.percent === undefined || type.percent === one ? [] : [`shares of ${type.percent} (%)`];
  return [...(known.length > 0 ? [known.join(" or ")] : []), ...(plain ? ["plain numbers"] : []), ...shares].join(
    ", or ",
  );
}

/** `between 0 and 1`, `at least 1 token`. */
export function rangeOf(type: NumberType, like: NumberValue): string {
  const shown = (bound: number) => showNumber(number(bound, like.dimension, type.percent !== undefined));
  if (type.above !== undefined) return `more than ${shown(type.above)}`;
  if (type.min !== undefined && type.max !== undefined) return `between ${shown(type.min)} and ${shown(type.max)}`;
  return type.min === undefined ? `at most ${shown(type.max ?? 0)}` : `at least ${shown(type.min)}`;
}
