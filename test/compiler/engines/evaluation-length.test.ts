/** `eval { length = … }` in each engine's own unit: batches of a rank, or iterations of a global batch. */
import { expect, it } from "vitest";
import { lowerStage } from "../../../compiler/engines/lower.ts";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { EvaluationLength, StageStep } from "../../../compiler/pipeline.ts";
import { cluster, given, modelRequest, pipeline, stage } from "../../support/pipeline.ts";

function lowered(engine: "deepspeed" | "megatron", length: EvaluationLength) {
  const step: StageStep = stage(
    modelRequest("llama", { layers: 2, d_model: 256, heads: 4, vocab: 32_000, context: 512 }),
    { engine: given(engine), eval: { every: { unit: "steps", value: 10 }, length } },
  );
  const [planned] = plan(pipeline(step, cluster())).plan.stages;
  if (planned === undefined) throw new Error("no plan");
  const files = lowerStage(step, planned, cluster());
  return { planned, textOf: (name: string) => files.find(({ path }) => path.endsWith(name))?.text ?? "" };
}

it.each([1, 7, 100, 4096])("%i samples are shared out to the ranks of the training program", (value) => {
  const { planned, textOf } = lowered("deepspeed", { unit: "samples", value });
  const together = planned.batch.micro_batch * planned.layout.data_parallel;
  expect(JSON.parse(textOf("trainer.json")).eval.batches).toBe(Math.ceil(value / together));
});

it.each([1, 7, 100, 4096])("%i samples are global batches of Megatron", (value) => {
  const { planned, textOf } = lowered("megatron", { unit: "samples", value });
  expect(textOf("launch.sh")).toContain(`--eval-iters ${Math.ceil(value / planned.batch.global_batch)} `);
});

it("batches stay what they are", () => {
  const length = { unit: "batches", value: 5 } as const;
  expect(JSON.parse(lowered("deepspeed", length).textOf("trainer.json")).eval.batches).toBe(5);
  expect(lowered("megatron", length).textOf("launch.sh")).toContain("--eval-iters 5 ");
});
