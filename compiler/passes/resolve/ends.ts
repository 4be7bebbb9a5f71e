/** What a comparison leaves of a number. */
import type { Comparison } from "./comparison.ts";

export interface Ends {
  readonly least: number;
  readonly most: number;
  /** Whether an end is left out. */
  readonly above: boolean;
  readonly below: boolean;
}

export const open: Ends = { least: -Infinity, most: Infinity, above: false, below: false };

export function endsOf({ op, value }: Pick<Comparison, "op" | "value">): Ends {
  switch (op) {
    case "==":
      return { ...open, least: value, most: value };
    case ">":
    case ">=":
      return { ...open, least: value, above: op === ">" };
    default:
      return { ...open, most: value, below: op === "<" };
  }
}

export const isEmpty = ({ least, most, above, below }: Ends): boolean =>
  least > most || (least === most && (above || below));

export const excludes = (a: Ends, b: Ends): boolean =>
  isEmpty({
    least: Math.max(a.least, b.least),
    most: Math.min(a.most, b.most),
    above: (a.above && a.least >= b.least) || (b.above && b.least >= a.least),
    below: (a.below && a.most <= b.most) || (b.below && b.most <= a.most),
  });
