/** What `raw megatron { … }` may not say beside the stage. */
import { expect, it } from "vitest";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { StageStep } from "../../../../compiler/pipeline.ts";
import { cluster, given, modelRequest, pipeline, settings, span, stage } from "../../../support/pipeline.ts";

function told(raw: StageStep["rawMegatron"]): readonly string[] {
  const step = stage(modelRequest("llama", { layers: 8, d_model: 1024, heads: 16, context: 1024 }), {
    engine: given("megatron" as const),
    batch: given({ unit: "samples", value: 64 } as const),
    layout: { given: settings({ tensor_parallel: 2, zero_stage: 1 }), bounds: new Map() },
    rawMegatron: raw,
    rawMegatronSpans: new Map(Object.keys(raw).map((key) => [key, span])),
  });
  const { diagnostics } = plan(pipeline(step, cluster({ ram: 2 ** 41 })));
  return diagnostics
    .filter(({ severity }) => severity !== "info")
    .map(({ severity, code, message }) => `${severity}: ${code.slice(4)}: ${message}`);
}

it.each<readonly [StageStep["rawMegatron"], string]>([
  [
    { optimizer: "sgd" },
    "error: engine-raw-conflict: optimizer = sgd contradicts adam, which follows from optimizer",
  ],
  [
    { yaml_cfg: "a.yaml" },
    "error: engine-raw-conflict: yaml_cfg = a.yaml contradicts every argument, whose place the file would take, which follows from the stage",
  ],
  [
    { split: "99,1,0" },
    "error: megatron-data-split-beside-paths: --split divides one blend, and the data have a blend for each split",
  ],
  [
    { moe_grouped_gemm: true, moe_router_topk: 4 },
    "warning: megatron-experts-unused: --moe-grouped-gemm, --moe-router-topk do nothing without --num-experts",
  ],
])("%j", (raw, expected) => {
  expect(told(raw)).toEqual([expected]);
});

it.each<StageStep["rawMegatron"]>([
  { optimizer: "adam" },
  { optimizer: "muon" },
  { data_path: ["a"], split: "99,1,0" },
  { mock_data: true },
])("%j is taken", (raw) => {
  expect(told(raw)).toEqual([]);
});
