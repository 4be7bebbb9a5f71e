/** What something may take: nothing is done in no time, and a bound of 0 is a slip. */
import type { Property } from "../../dsl/kind.ts";
import { quantity } from "../../dsl/types/type.ts";

const budget = (unit: Parameters<typeof quantity>[0], doc: string): Property => ({
  type: quantity(unit, { above: 0 }),
  doc,
  bounded: true,
  limit: true,
});

export const timeLimit = (doc: string): Property => budget([{ second: 1 }], doc);
export const costLimit = (doc: string): Property => budget([{ usd: 1 }], doc);
