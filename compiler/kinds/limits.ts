/** What something may take: nothing is done in no time, and a bound of 0 is a slip. */
import { quantity } from "../../dsl/types/type.ts";

export const timeLimit = quantity([{ second: 1 }], { above: 0 });
export const costLimit = quantity([{ usd: 1 }], { above: 0 });
