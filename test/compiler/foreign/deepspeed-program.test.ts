/** What DeepSpeed demands of a file whose optimizer, or whose pipeline, is the program's. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (config: object, code: string): readonly string[] =>
  toldOf({ "ds.json": JSON.stringify({ train_micro_batch_size_per_gpu: 1, ...config }) }, { world: 8 })
    .filter((each) => each.code.includes(code) && each.severity !== "info")
    .map((each) => `${each.severity} ${each.code}`);

const warmup = (steps: unknown): object => ({ scheduler: { type: "WarmupLR", params: { warmup_num_steps: steps } } });

it("a schedule drives the program's optimizer where the file has none", () => {
  expect(told(warmup(-5), "scheduler")).toEqual(["warning cdr/deepspeed-scheduler-steps"]);
  expect(told(warmup(100), "scheduler")).toEqual([]);
  const own = { ...warmup(-5), optimizer: { type: "AdamW", params: { lr: 1e-4 } } };
  expect(told(own, "scheduler")).toEqual(["error cdr/deepspeed-scheduler-steps"]);
  // The class of that optimizer is nobody's guess.
  expect(told({ zero_optimization: { stage: 2, offload_optimizer: { device: "cpu" } } }, "optimizer")).toEqual([]);
});

it("a file that names stages is read by a pipeline", () => {
  expect(told({ pipeline: { stages: 3 } }, "pipeline-stages")).toEqual(["error cdr/deepspeed-pipeline-stages"]);
  expect(told({ pipeline: { stages: 4 } }, "pipeline-stages")).toEqual([]);
  expect(told({ pipeline: { stages: 2, pipe_partitioned: "yes" } }, "partitioned")).toEqual([
    "error cdr/deepspeed-pipe-partitioned",
  ]);
  expect(told({ pipeline: { stages: 2 }, zero_optimization: { stage: 2 } }, "zero")).toEqual([
    "error cdr/pipeline-zero",
  ]);
});
