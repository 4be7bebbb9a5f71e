import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate, type Evaluated } from "../../../../compiler/planner/search/evaluate.ts";
import { branchAndBound, tryAll } from "../../../../compiler/planner/search/find.ts";
import { floorsOf } from "../../../../compiler/planner/search/floors.ts";
import { choiceOf, spaceOf } from "../../../../compiler/planner/search/space.ts";
import { alternativesOf } from "../../../../compiler/passes/parallelize/alternatives.ts";
import type { Layout, StagePlan } from "../../../../compiler/plan.ts";
import { problems } from "./spaces.ts";

/** The choice and what is shown beside it. */
function answer(ranked: readonly Evaluated[]): unknown {
  const [best, ...others] = ranked;
  if (best === undefined) return null;
  const shown = alternativesOf(
    best,
    others,
    ({ choice }) => choice as unknown as Layout,
    ({ choice }) => choice as unknown as StagePlan["batch"],
  );
  return { choice: best.choice, fits: best.fits, step: best.time.step, peak: best.memory.peak, shown };
}

describe("branch and bound", () => {
  it("finds what trying every layout finds, and the same runners-up", () => {
    let considered = 0;
    let evaluated = 0;
    fc.assert(
      fc.property(problems, ({ setting, layout }) => {
        const space = spaceOf(setting, layout);
        fc.pre(space.size > 0 && space.size < 4000);
        const found = branchAndBound(setting, space);
        considered += found.considered;
        evaluated += found.evaluated;
        expect(answer(found.ranked)).toEqual(answer(tryAll(setting, space)));
      }),
      { numRuns: 250, seed: 5 },
    );
    expect(evaluated).toBeLessThan(considered / 2);
  });

  it("is never told that a layout takes longer or more room than it does", () => {
    fc.assert(
      fc.property(problems, fc.nat(), fc.nat(), fc.nat(), fc.nat(), ({ setting, layout }, a, b, c, d) => {
        const { groups, variants } = spaceOf(setting, layout);
        const group = groups[a % groups.length];
        fc.pre(group !== undefined && variants.length > 0);
        if (group === undefined) return;
        const depth = group.depths[b % group.depths.length];
        if (depth === undefined) return;
        const micro = depth.micros[c % depth.micros.length] ?? 1;
        const at = d % variants.length;
        const variant = variants[at];
        if (variant === undefined) return;
        const { memory, time, objective } = evaluate(setting, choiceOf(group, depth, micro, variant));
        const floors = floorsOf(setting, variants);
        const kind = floors.kinds.findIndex((variants) => variants.includes(at));
        const whole = floors.of(group);
        const floor = whole.of(depth);
        expect(floor.seconds(micro, at)).toBeLessThanOrEqual(time.step);
        expect(floor.seconds(micro, at) + whole.risk(depth, micro)).toBeLessThanOrEqual(objective);
        expect(floor.bytes(micro, at)).toBeLessThanOrEqual(memory.peak);
        expect(floor.leanest(micro, at)).toBeLessThanOrEqual(floor.bytes(micro, at));
        expect(whole.passes(depth, micro, kind)).toBeLessThanOrEqual(floor.seconds(micro, at));
        expect(whole.passing(micro, kind)).toBeLessThanOrEqual(whole.passes(depth, micro, kind));
        expect(whole.seconds(kind)).toBeLessThanOrEqual(whole.passing(micro, kind));
        expect(whole.layers(depth, depth.micros.indexOf(micro), kind)).toBeLessThanOrEqual(memory.peak);
        // Else nothing would ever be left out.
        expect(floor.seconds(micro, at)).toBeGreaterThan(0);
      }),
      { numRuns: 2000, seed: 7 },
    );
  });
});
