/** What `shard_over` costs and spares, as a plan says it. */
import { expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { EngineName } from "../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../compiler/plan.ts";
import { cluster, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";

const model = modelRequest("llama", { layers: 16, d_model: 2048, vocab: 32_000 });

function planned(engine: EngineName, over: number | null, zero_stage: number, network = 400e9): StagePlan {
  const [one] = plan(
    pipeline(
      stage(model, {
        engine: given(engine),
        sharding: { over: over === null ? null : given(over), quantize: null, nvme: null },
        layout: { given: settings({ zero_stage }), bounds: new Map() },
      }),
      cluster({ nodes: 4, network }),
    ),
  ).plan.stages;
  if (one === undefined) throw new Error("no plan");
  return one;
}

it.each([2, 3])("groups that hold a copy each wait for a slow network: stage %i", (zero) => {
  const on = (network: number): number => planned("torch", 8, zero, network).time.step;
  expect(on(1.25e8)).toBeGreaterThan(2 * on(4e11));
});

it("holds the same shards of the weights at stage 2 and 3, as large as its group makes them", () => {
  const weights = (over: number | null, zero: number): number => planned("torch", over, zero).memory.parts.weights;
  expect(weights(8, 2) / weights(8, 3)).toBeCloseTo(1, 6);
  expect(weights(8, 2) / weights(null, 2)).toBeCloseTo(4, 6);
});

it("counts DeepSpeed's second copy, and that backward passes gather within the group", () => {
  const [with8, without] = [planned("deepspeed", 8, 3, 1.25e8), planned("deepspeed", null, 3, 1.25e8)];
  expect(with8.memory.parts.weights).toBeGreaterThan(without.memory.parts.weights);
  expect(with8.time.step).toBeLessThan(without.time.step);
});

it("says that quantizing and a disk are not counted", () => {
  const [one] = plan(
    pipeline(
      stage(model, {
        engine: given("deepspeed"),
        sharding: { over: null, quantize: given(["weights"]), nvme: given("/local") },
        layout: { given: settings({ zero_stage: 3, offload: "all" }), bounds: new Map() },
      }),
      cluster({ nodes: 4 }),
    ),
  ).plan.stages;
  expect(one?.total.uncounted.join()).toContain("`quantize`");
  expect(one?.total.uncounted.join()).toContain("`nvme`");
});
