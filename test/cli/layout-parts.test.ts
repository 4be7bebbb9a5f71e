/** Layouts beside the one that was chosen read unlike it and unlike each other. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { besideParts } from "../../cli/render/layout-parts.ts";
import { alternativesOf } from "../../compiler/passes/parallelize/alternatives.ts";
import { layoutOf, batchPlanOf } from "../../compiler/passes/parallelize/laid-out.ts";
import type { StagePlan } from "../../compiler/plan.ts";
import { find } from "../../compiler/planner/search/find.ts";
import { problems } from "../compiler/planner/search/spaces.ts";

it("no two layouts of a plan read the same", () => {
  let shown = 0;
  fc.assert(
    fc.property(problems, ({ setting, layout }) => {
      const [best, ...others] = find(setting, layout).ranked;
      if (best === undefined) return;
      const taken = { engine: setting.engine.name, layout: layoutOf(best), batch: batchPlanOf(best) };
      const all = [{ layout: taken.layout, batch: taken.batch }, ...alternativesOf(best, others)];
      const words = all.map((one) => besideParts(taken as StagePlan, one).join(", "));
      shown += words.length;
      expect(new Set(words).size, words.join("\n")).toBe(words.length);
    }),
    { numRuns: 150, seed: 3 },
  );
  expect(shown).toBeGreaterThan(400);
});
