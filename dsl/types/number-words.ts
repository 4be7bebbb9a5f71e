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
  const { min, above, max, below } = type;
  if (above === undefined && below === undefined && min !== undefined && max !== undefined)
    return `between ${shown(min)} and ${shown(max)}`;
  const lower =
    above !== undefined ? `more than ${shown(above)}` : min !== undefined ? `at least ${shown(min)}` : null;
  const upper =
    below !== undefined ? `less than ${shown(below)}` : max !== undefined ? `at most ${shown(max)}` : null;
  return [lower, upper].filter((end) => end !== null).join(" and ");
}
