/** Ranks that share experts: who trains them, and what a rank holds. */
import { expect, it } from "vitest";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { ClusterSpec, EngineName } from "../../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../../compiler/plan.ts";
import { cluster, device, given, modelRequest, pipeline, settings, stage } from "../../../support/pipeline.ts";

const shape = { layers: 4, d_model: 512, heads: 8, kv_heads: 8, context: 512, vocab: 32_000 };
const mixture = modelRequest("mixtral", { ...shape, "moe.experts": 8, "moe.top_k": 2 });
const gpus = cluster({ ram: 2 ** 41 });
const processors = cluster({ device: device("cpu"), gpusPerNode: 4, ram: 2 ** 37 });

function planned(ranks: number, engine: EngineName | null, on: ClusterSpec): StagePlan | undefined {
  const step = stage(mixture, {
    engine: engine === null ? null : given(engine),
    batch: given({ unit: "samples", value: 64 } as const),
    layout: { given: settings({ expert_parallel: ranks }), bounds: new Map() },
  });
  return plan(pipeline(step, on)).plan.stages[0];
}

it("is DeepSpeed's where no engine is named and Megatron is not a quarter faster", () => {
  expect(planned(4, null, gpus)?.engine).toBe("deepspeed");
  expect(planned(4, null, processors)?.engine).toBe("deepspeed");
});

it("leaves a rank fewer weights, and takes a stage of ZeRO that goes with it", () => {
  const [whole, shared] = [planned(1, "deepspeed", gpus), planned(4, "deepspeed", gpus)];
  if (whole === undefined || shared === undefined) throw new Error("both have a plan");
  expect([1, 2]).toContain(shared.layout.zero_stage);
  expect(shared.layout.data_parallel).toBe(whole.layout.data_parallel);
  expect(shared.memory.peak).toBeLessThan(whole.memory.peak);
});

it("leaves a processor the weights and gradients of its own experts, and has tokens on their way", () => {
  const [whole, half, quarter] = [1, 2, 4].map((ranks) => planned(ranks, "deepspeed", processors));
  if (whole === undefined || half === undefined || quarter === undefined) throw new Error("all have a plan");
  const { layers, d_model, d_ff } = half.model;
  const experts = layers * 8 * 3 * d_model * d_ff;
  const width = half.memory.parts.weights / (half.model.parameters.total - experts / 2);
  expect([2, 4]).toContainEqual(Math.round(width));
  expect(half.memory.parts.weights - quarter.memory.parts.weights).toBeCloseTo((width * experts) / 4, -4);
  expect(whole.time.parts["expert_comm"]).toBeUndefined();
  expect(half.time.parts["expert_comm"]).toBeGreaterThan(0);
  expect(quarter.time.parts["expert_comm"]).toBeGreaterThan(half.time.parts["expert_comm"] ?? Infinity);
});
