import type { Value } from "../../types/value.ts";

/** How many whole numbers there are from one end of a range to the other. */
export const countOf = ({ from, to }: Extract<Value, { kind: "range" }>): number =>
  Math.max(0, Math.floor(to.value - from.value) + 1);
