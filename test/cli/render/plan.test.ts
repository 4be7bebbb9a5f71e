import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { duration, energy } from "../../../cli/render/figures.ts";
import { renderPlan, type PlanPalette } from "../../../cli/render/plan.ts";
import { plan } from "../../../compiler/passes/parallelize.ts";
import { cluster, given, modelRequest, pipeline, sizeOf, stage } from "../../support/pipeline.ts";

const same = (text: string): string => text;
const plain: PlanPalette = { bold: same, dim: same, red: same, green: same, yellow: same, blue: same, cyan: same };
const planned = plan(
  pipeline(stage(modelRequest("gpt2", {}, { size: sizeOf(124e6) })), cluster({ price: null })),
).plan;

describe("renderPlan", () => {
  it.each([80, 100, 118, 200])("fits %i columns, and never takes more than 118", (width) => {
    for (const line of renderPlan(planned, plain, width).split("\n")) {
      expect(stringWidth(line)).toBeLessThanOrEqual(Math.min(118, width));
    }
  });

  it("says the equation of the batch", () => {
    expect(renderPlan(planned, plain, 118)).toMatch(/512 samples = \d+ micro x \d+ accumulation x 8 ranks/);
  });

  it("sets thousands apart, of days and energy too", () => {
    expect(duration(24 * 12_345)).toBe("12,300 days");
    expect(duration(24 * 999)).toBe("999 days");
    expect(energy(4.5e9)).toBe("4,500 GWh");
  });

  it("counts one step as one", () => {
    const step = stage(modelRequest("gpt2", {}, { size: sizeOf(124e6) }), {
      length: given({ unit: "steps", value: 1 }),
    });
    expect(renderPlan(plan(pipeline(step, cluster())).plan, plain, 118)).toMatch(/ · 1 step · /);
    expect(renderPlan(planned, plain, 118)).toMatch(/ · [\d,]+ steps · /);
  });

  it("shows what is unknown as unknown", () => {
    expect(renderPlan(planned, plain, 118)).toContain("cost unknown: the cluster has no price");
  });

  it("draws a bar of the same length whatever the parts", () => {
    const bars = [80, 118].map(
      (width) => /memory +([WGOALBR·│┃]+) /.exec(renderPlan(planned, plain, width))?.[1]?.length,
    );
    expect(bars).toEqual([31, 48]);
  });
});
