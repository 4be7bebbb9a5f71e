/** Who names the chunks of a pipeline gets a layout that Megatron takes, where there is one. */
import { expect, it } from "vitest";
import { rules } from "../../../../compiler/engines/megatron/stage/rules.ts";
import type { Scalar, StageStep } from "../../../../compiler/pipeline.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import { cluster, given, modelRequest, pipeline, settings, stage } from "../../../support/pipeline.ts";

type Layout = Readonly<Record<string, Scalar>>;

const on = cluster({ nodes: 4 });

function stageOf(layers: number, layout: Layout, more: Partial<StageStep>): StageStep {
  const shape = { layers, d_model: 4096, vocab: 32_000, context: 4096 };
  return stage(modelRequest("mixtral", { ...shape, "moe.experts": 8 }), {
    ...{ engine: given("megatron" as const), sequence: given(4096), ...more },
    layout: { given: settings(layout), bounds: new Map() },
  });
}

function refused(layers: number, samples: number, layout: Layout) {
  const batch = given({ unit: "samples", value: samples } as const);
  const { plan: made, diagnostics } = plan(pipeline(stageOf(layers, layout, { batch }), on));
  return { stages: made.stages, messages: diagnostics.map(({ message }) => message) };
}

function told(layers: number, layout: Layout, raw: Readonly<Record<string, string>> = {}) {
  const step = stageOf(layers, layout, { rawMegatron: raw });
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
  [61, 2],
  [29, 3],
])("%d layers in %d chunks a stage", (layers, chunks) => {
  const { sizes, groups, codes } = told(layers, { virtual_pipeline: chunks });
  expect(codes).toEqual([]);
  expect(sizes[0]).toBeGreaterThan(1);
  expect(sizes[1]).toBe(chunks);
  expect(Number.isInteger(groups)).toBe(true);
});

it.each([
  ["layers", 12, 512, "12 layers are fewer than 8 stages of 2 chunks"],
  [
    "samples",
    32,
    20,
    "interleaved stages take micro-batches in groups of 8, which do not divide 20 samples of a step",
  ],
])("are refused where all sizes are named and %s cannot be cut so", (_, layers, samples, why) => {
  const { stages, messages } = refused(layers, samples, { virtual_pipeline: 2, pipeline_parallel: 8 });
  expect(stages).toEqual([]);
  expect(messages).toEqual([expect.stringContaining(why)]);
});

it("leaves the cut to the engine's own words", () => {
  const layout = { virtual_pipeline: 2, pipeline_parallel: 8 };
  const words = `Et*2|${"t|".repeat(7)}${"t*2|".repeat(7)}tL`;
  const { sizes, codes } = told(24, layout, { pipeline_model_parallel_layout: words });
  expect(sizes).toEqual([8, 2]);
  expect(codes).toEqual([]);
});

it("reckons with the layers that they name, and tells where they name another number of chunks", () => {
  const lopsided = `Et|${"t|".repeat(6)}${"t*3|".repeat(6)}t*4|t*4|tL`.replace("t|t|", "t|t|");
  const layout = { virtual_pipeline: 2, pipeline_parallel: 8 };
  const peak = (raw: Readonly<Record<string, string>>): number =>
    Math.max(
      ...plan(pipeline(stageOf(34, layout, { rawMegatron: raw }), on)).plan.stages.map(({ memory }) => memory.peak),
    );
  expect(lopsided.split("|")).toHaveLength(16);
  expect(peak({ pipeline_model_parallel_layout: lopsided })).not.toBe(peak({}));
  const other = told(24, { virtual_pipeline: 1, pipeline_parallel: 8 }, { pipeline_model_parallel_layout: lopsided });
  expect(other.codes).toContain("cdr/engine-raw-conflict");
});
