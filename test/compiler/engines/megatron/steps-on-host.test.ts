/** When the planner takes the optimizer to the host though the layout does not speak of it. */
import { expect, it } from "vitest";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { ClusterSpec, OptimizerSpec, StageStep } from "../../../../compiler/pipeline.ts";
import { cluster, given, modelRequest, pipeline, settings, span, stage } from "../../../support/pipeline.ts";

const model = modelRequest("llama", { layers: 80, d_model: 8192, d_ff: 28672, kv_heads: 8, context: 8192 });
const roomy = cluster({ ram: 2 ** 41 });

function planned(rest: Partial<StageStep> = {}, on: ClusterSpec = roomy) {
  const step = stage(model, { engine: given("megatron"), sequence: given(8192), ...rest });
  const { plan: made, diagnostics } = plan(pipeline(step, on));
  return { stage: made.stages[0], codes: diagnostics.map(({ code }) => code) };
}

const pinned = (offload: string) => ({ layout: { given: settings({ offload }), bounds: new Map() } });

it("where nothing else fits, and where it is the fastest that does", () => {
  const { stage: alone, codes } = planned();
  expect(codes).toEqual([]);
  expect(alone?.layout.offload).toBe("optimizer");
  expect(alone?.layout).toEqual(planned(pinned("optimizer")).stage?.layout);
  expect(planned(pinned("none")).codes).toContain("cdr/memory-exceeded");
  for (const nodes of [2, 4, 8, 16]) {
    const on = cluster({ nodes, ram: 2 ** 41 });
    const [free, home, away] = [planned({}, on), planned(pinned("none"), on), planned(pinned("optimizer"), on)];
    expect(free.codes).toEqual([]);
    const fitting = [home, away].filter((one) => one.codes.length === 0).map((one) => one.stage?.time.step ?? 0);
    // Of layouts within 1 % of the best the plainest is taken.
    expect(free.stage?.time.step).toBeLessThanOrEqual(1.03 * Math.min(...fitting));
  }
});

it("not where the engine has no such optimizer there, nor room for it, nor where the stage says otherwise", () => {
  const { optimizer } = stage(model);
  const with_ = (name: OptimizerSpec["name"]): Partial<StageStep> => ({ optimizer: { ...optimizer, name } });
  const raw = { use_precision_aware_optimizer: false };
  const spans = new Map(Object.keys(raw).map((key) => [key, span]));
  const cases: readonly Partial<StageStep>[] = [
    with_("muon"),
    { rawMegatron: raw, rawMegatronSpans: spans },
    { precision: given("fp8"), narrow: { recipe: null, weights: true } },
  ];
  for (const rest of cases) {
    const { stage: one, codes } = planned(rest);
    expect(one?.layout.offload).toBe("none");
    expect(codes).toContain("cdr/memory-exceeded");
  }
  expect(planned({}, cluster({ ram: 2 ** 37 })).codes).toEqual(["cdr/memory-host"]);
});
