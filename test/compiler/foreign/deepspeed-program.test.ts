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

it("what the engine demands with an optimizer of any class is told where the program brings one", () => {
  const scaled = (config: object): readonly string[] => told({ bf16: { enabled: true }, ...config }, "deepspeed-");
  expect(scaled({ prescale_gradients: true, zero_optimization: { stage: 3 } })).toEqual([
    "warning cdr/deepspeed-prescale-gradients",
  ]);
  expect(scaled({ gradient_predivide_factor: 2, zero_optimization: { stage: 2 } })).toEqual([
    "warning cdr/deepspeed-gradient-predivide-factor",
  ]);
  expect(scaled({ prescale_gradients: true, zero_optimization: { stage: 1 } })).toEqual([]);
  expect(scaled({ zero_optimization: { stage: 2, allgather_bucket_size: 1001 } })).toEqual([
    "warning cdr/deepspeed-allgather-bucket-odd",
  ]);
  expect(scaled({ zero_optimization: { stage: 2, compute_grad_norm: false } })).toEqual([
    "warning cdr/deepspeed-gradient-norm-off",
  ]);
  expect(scaled({ zero_optimization: { stage: 0 }, data_types: { grad_accum_dtype: "fp32" } })).toEqual([
    "warning cdr/deepspeed-accumulation-dtype",
  ]);
  // DeepSpeed's own Adam of the CPU bears what others don't, and a program may bring it.
  const masters = { bf16: { enabled: true, bf16_master_weights_and_grads: true } };
  const offload = { stage: 2, offload_optimizer: { device: "cpu" } };
  expect(scaled({ ...masters, zero_optimization: { stage: 2 } })).toEqual(["warning cdr/deepspeed-masters-offload"]);
  expect(scaled({ ...masters, zero_optimization: offload })).toEqual([]);
});
