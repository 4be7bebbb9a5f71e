/** What a plan counts of the model that a stage learns from. */
import { describe, expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { EngineName, StageStep } from "../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../compiler/plan.ts";
import { cluster, device, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";

const student = modelRequest("llama", { layers: 16, d_model: 2048, heads: 16, vocab: 32_000 });
const teacher = modelRequest("llama", { layers: 32, d_model: 4096, heads: 32, vocab: 32_000 });
const teacherParameters = 6.74e9;

function planned(
  engine: EngineName,
  pins: Record<string, number | string>,
  taught: Partial<StageStep>,
  on = cluster({ nodes: 1 }),
): StagePlan {
  const layout = { given: settings({ micro_batch: 1, recompute: "none", ...pins }), bounds: new Map() };
  const [one] = plan(pipeline(stage(student, { engine: given(engine), layout, ...taught }), on)).plan.stages;
  if (one === undefined) throw new Error("no plan");
  return one;
}

describe("a teacher", () => {
  it.each([
    ["deepspeed", { zero_stage: 1, offload: "none" }, 1],
    ["deepspeed", { zero_stage: 3, offload: "none" }, 8],
    ["torch", { zero_stage: 3 }, 8],
    ["megatron", { tensor_parallel: 4, pipeline_parallel: 1 }, 4],
    ["megatron", { tensor_parallel: 2, pipeline_parallel: 2 }, 4],
  ] as const)("of %s with %o is held by %i ranks together", (engine, pins, ranks) => {
    const [alone, beside] = [planned(engine, pins, {}), planned(engine, pins, { teacher })];
    const held = beside.memory.parts.weights - alone.memory.parts.weights;
    expect((held * ranks) / (2 * teacherParameters)).toBeGreaterThan(0.97);
    expect((held * ranks) / (2 * teacherParameters)).toBeLessThan(1.1);
    expect(beside.memory.peak - alone.memory.peak).toBeGreaterThan(held);
  });

  it("is asked for each batch: a forward pass of its own FLOPs", () => {
    const on = { zero_stage: 1, offload: "none", micro_batch: 4 };
    const { time, batch } = planned("deepspeed", on, { teacher });
    const seconds = time.parts["teacher"] ?? 0;
    expect(time.step).toBeCloseTo(
      Object.values(time.parts).reduce((sum, part) => sum + part, 0),
      9,
    );
    const share = (2 * teacherParameters * batch.tokens_per_step) / 8 / seconds / 989e12;
    expect(share).toBeGreaterThan(0.3);
    expect(share).toBeLessThan(0.75);
    expect(planned("deepspeed", on, {}).time.parts).not.toHaveProperty("teacher");
  });

  it("waits for its layers where a slow network gathers them", () => {
    const at = (network: number): number =>
      planned("deepspeed", { zero_stage: 3, offload: "none" }, { teacher }, cluster({ nodes: 2, network })).time
        .parts["teacher"] ?? 0;
    expect(at(1e9)).toBeGreaterThan(3 * at(4e11));
  });

  it("costs a processor what it costs a device", () => {
    const on = cluster({ nodes: 1, device: device("cpu"), cores: 16, ram: 256e9 });
    const pins = { zero_stage: 0 };
    const [alone, beside] = [planned("torch", pins, {}, on), planned("torch", pins, { teacher }, on)];
    const held = beside.memory.parts.weights - alone.memory.parts.weights;
    expect([2, 4].map((width) => Math.abs(held / (width * teacherParameters) - 1) < 0.03)).toContain(true);
    expect(beside.time.parts["teacher"]).toBeGreaterThan(alone.time.parts["compute"] ?? Infinity);
  });

  it("makes a layout too large that fits without it", () => {
    const large = modelRequest("llama", { layers: 80, d_model: 8192, heads: 64, vocab: 32_000 });
    const fits = (taught: Partial<StageStep>): boolean => {
      const { memory } = planned("deepspeed", { zero_stage: 1, offload: "none", pipeline_parallel: 1 }, taught);
      return memory.peak <= memory.usable;
    };
    expect([fits({}), fits({ teacher: large })]).toEqual([true, false]);
  });
});
