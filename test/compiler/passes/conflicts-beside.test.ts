import { expect, test } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { Scalar } from "../../../compiler/pipeline.ts";
import { cluster, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";

const model = modelRequest("llama", {
  layers: 32,
  d_model: 4096,
  heads: 32,
  d_ff: 14336,
  kv_heads: 8,
  context: 4096,
});

function codes(pins: Readonly<Record<string, Scalar>>, samples = 1024): string[] {
  const layout = { given: settings(pins), bounds: new Map() };
  const batch = given({ unit: "samples", value: samples } as const);
  const step = stage(model, { sequence: given(4096), engine: given("megatron"), batch, layout });
  return plan(pipeline(step, cluster({ nodes: 4, gpusPerNode: 8 }))).diagnostics.map(({ code, message }) =>
    `${code} ${/(\w+_parallel) =/.exec(message)?.[1] ?? ""}`.trim(),
  );
}

test("pins that nothing satisfies are told beside a batch that their micro-batch does not divide, all at once", () => {
  expect(codes({ tensor_parallel: 3, pipeline_parallel: 5, micro_batch: 7 })).toEqual([
    "cdr/batch-divisibility",
    "cdr/layout-empty tensor_parallel",
    "cdr/layout-empty pipeline_parallel",
  ]);
});

test("pins that only the batch stands against are not told twice", () => {
  expect(codes({ tensor_parallel: 4, pipeline_parallel: 2, micro_batch: 7 })).toEqual(["cdr/batch-divisibility"]);
  expect(codes({ tensor_parallel: 4, pipeline_parallel: 2, context_parallel: 1 }, 1022)).toEqual([
    "cdr/batch-divisibility",
  ]);
});
