/** What a misspelt key or argument was meant to be. */
import { expect, it } from "vitest";
import { meantBy } from "../../../compiler/engines/megatron/meant.ts";
import { argumentTable } from "../../../compiler/engines/megatron/table.ts";
import { checkForeign } from "../../../compiler/foreign/check.ts";

it.each([
  ["--tensor-parallel", "--tensor-model-parallel-size"],
  ["--tensor-parallel-size", "--tensor-model-parallel-size"],
  ["--pipeline-parallel-size", "--pipeline-model-parallel-size"],
  ["--num-layer", "--num-layers"],
  ["--micro_batch_size", "--micro-batch-size"],
])("%s is %s", (written, meant) => {
  expect(meantBy(written, argumentTable("gpt"))).toBe(meant);
});

it("an old name of DeepSpeed is never suggested", () => {
  const text = `{"train_batch_size": 8, "zero_optimization": {"stage": 3, "cpu_offload_params": true}}`;
  const { diagnostics } = checkForeign(
    [{ path: "ds.json", text }],
    { world: 8, gpusPerNode: null, gpu: null },
    () => undefined,
  );
  const found = diagnostics.find(({ code }) => code === "cdr/deepspeed-key");
  expect(found?.message).toContain("did you mean offload_param?");
});
