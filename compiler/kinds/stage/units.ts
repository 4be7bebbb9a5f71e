/** What the parts of a stage are counted in. */
import type { Type } from "../../../dsl/kind.ts";
import { choice, number, quantity, union } from "../../../dsl/types/type.ts";

/** How often something happens. */
export const period: Type = quantity([{ step: 1 }, { token: 1 }, { second: 1 }], { above: 0 });

/** A whole number of the run's steps. */
export const wholeSteps: Type = quantity([{ step: 1 }], { integer: true, min: 1 });

/** A stretch of the run. */
export const stretch: Type = quantity([{ step: 1 }, { token: 1 }, {}], { min: 0, percent: "the run" });

/** A point of the run. */
export const point: Type = quantity([{ step: 1 }, { token: 1 }], { min: 0 });

/** A number that may move while the run goes on: `momentum = ramp(0.85, 0.95, over = 300 steps)`. */
export function scheduled(
  what: string,
  options: { readonly min?: number; readonly above?: number; readonly below?: number } = {},
): Type {
  const ends = number(options);
  return union(
    ends,
    choice(`${what} that changes with the step`, {
      ramp: {
        doc: "a straight line from one value to another, which then stays",
        runs: false,
        parameters: {
          from: { type: ends, doc: "the value at the start", required: true },
          to: { type: ends, doc: "the value at the end", required: true },
          over: { type: stretch, doc: "how long it takes", required: true },
        },
        positional: ["from", "to"],
      },
    }),
  );
}
