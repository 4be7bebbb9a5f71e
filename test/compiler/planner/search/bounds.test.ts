/** A bound narrows the values of a property and nothing else. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bound, Scalar, Settings } from "../../../../compiler/pipeline.ts";
import { spaceOf } from "../../../../compiler/planner/search/space.ts";
import type { Choice } from "../../../../compiler/planner/setting.ts";
import { settings, span } from "../../../support/pipeline.ts";
import { choicesOf, problems } from "./spaces.ts";

const splits = [
  "tensor_parallel",
  "pipeline_parallel",
  "context_parallel",
  "expert_parallel",
  "expert_tensor_parallel",
] as const;
const drawn = fc.tuple(problems, fc.constantFrom(...splits));

const pinned = (layout: Settings, name: string, value: Scalar): Settings => ({
  given: new Map([...layout.given, ...settings({ [name]: value })]),
  bounds: new Map([...layout.bounds].filter(([each]) => each !== name)),
});

const bounded = (layout: Settings, name: string, bound: Partial<Bound>): Settings => ({
  given: new Map([...layout.given].filter(([each]) => each !== name)),
  bounds: new Map([...layout.bounds, [name, { min: null, max: null, oneOf: null, spans: [span], ...bound }]]),
});

const written = (choice: Choice): string => JSON.stringify(choice);

describe("a space within a bound", () => {
  it("has every layout of each value that the bound admits, and no other", () => {
    fc.assert(
      fc.property(drawn, fc.constantFrom(1, 2, 4), ([{ setting, layout }, name], max) => {
        const of = (settings: Settings): Set<string> => new Set(choicesOf(spaceOf(setting, settings)).map(written));
        const within = of(bounded(layout, name, { max }));
        fc.pre(within.size < 5000);
        const values = Array.from({ length: max }, (_, at) => at + 1);
        expect(within).toEqual(new Set(values.flatMap((value) => [...of(pinned(layout, name, value))])));
      }),
      { numRuns: 200, seed: 3 },
    );
  });
});
