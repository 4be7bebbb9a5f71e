/** Who names the chunks of a pipeline gets a layout that Megatron takes, where there is one. */
import { expect, it } from "vitest";
import { rules } from "../../../../compiler/engines/megatron/stage/rules.ts";
import type { Scalar } from "../../../../compiler/pipeline.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import { cluster, given, modelRequest, pipeline, settings, stage } from "../../../support/pipeline.ts";

function told(layers: number, layout: Readonly<Record<string, Scalar>>, raw: Readonly<Record<string, string>> = {}) {
  const shape = { layers, d_model: 4096, vocab: 32_000, context: 4096 };
  const on = cluster({ nodes: 4 });
  const step = stage(modelRequest("mixtral", { ...shape, "moe.experts": 8 }), {
    ...{ engine: given("megatron" as const), sequence: given(4096), rawMegatron: raw },
    layout: { given: settings(layout), bounds: new Map() },
  });
  const [one] = plan(pipeline(step, on)).plan.stages;
  if (one === undefined) throw new Error("nothing was planned");
  const { pipeline_parallel: stages, virtual_pipeline: chunks } = one.layout;
  return {
    sizes: [stages, chunks],
    groups: one.batch.accumulation / stages,
    codes: rules.flatMap((rule) => rule.check(step, one, on)).map(({ code }) => code),
  };
}

it.each([
  [24, 2],
  [12, 3],
  [20, 5],
  [30, 2],
])("%d layers in %d chunks a stage", (layers, chunks) => {
  const { sizes, groups, codes } = told(layers, { virtual_pipeline: chunks });
  expect(codes).toEqual([]);
  expect(sizes[0]).toBeGreaterThan(1);
  expect(sizes[1]).toBe(chunks);
  expect(Number.isInteger(groups)).toBe(true);
});

it("has the engine say what is wrong where all sizes are named and no cut is left", () => {
  const { sizes, codes } = told(24, { virtual_pipeline: 2, pipeline_parallel: 8 });
  expect(sizes).toEqual([8, 2]);
  expect(codes).toContain("cdr/megatron-layers-per-stage-chunks");
});

it("leaves the cut to the engine's own words", () => {
  const layout = { virtual_pipeline: 2, pipeline_parallel: 8 };
  const words = `Et*2|${"t|".repeat(7)}${"t*2|".repeat(7)}tL`;
  const { sizes, codes } = told(24, layout, { pipeline_model_parallel_layout: words });
  expect(sizes).toEqual([8, 2]);
  expect(codes).toEqual(["cdr/engine-raw-uncounted"]);
});
