/** How context-parallel ranks share sequences: as Transformer Engine takes it, or not at all. */
import { expect, it } from "vitest";
import { parsedValues, parseCommandLine } from "../../../../compiler/engines/megatron/command-line.ts";
import { launchOf, wordsOfLaunch } from "../../../../compiler/engines/megatron/lower/launch.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { Scalar, StageStep } from "../../../../compiler/pipeline.ts";
import { cluster, given, modelRequest, pipeline, settings, span, stage } from "../../../support/pipeline.ts";

const shape = { layers: 8, d_model: 1024, heads: 16, kv_heads: 8, context: 4096 };
const windowed = modelRequest("mistral", { ...shape, window: 512 });
const whole = modelRequest("mistral", { ...shape, window: 0 });

function lowered(pins: Readonly<Record<string, Scalar>>, model = windowed, changes: Partial<StageStep> = {}) {
  const step = stage(model, {
    engine: given("megatron" as const),
    sequence: given(4096),
    batch: given({ unit: "samples", value: 64 } as const),
    layout: { given: settings(pins), bounds: new Map() },
    rawMegatronSpans: new Map(Object.keys(changes.rawMegatron ?? {}).map((key) => [key, span])),
    ...changes,
  });
  const on = cluster({ ram: 2 ** 41 });
  const { plan: made, diagnostics } = plan(pipeline(step, on));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [one] = made.stages;
  if (one === undefined) return { errors, values: undefined, layout: undefined };
  const launch = launchOf({ stage: step, plan: one, cluster: on });
  const values = parsedValues(parseCommandLine(wordsOfLaunch(launch), launch.table), launch.table);
  return { errors, values, layout: one.layout };
}

it.each<readonly [string, Readonly<Record<string, Scalar>>, typeof whole, string]>([
  ["a ring without a window", { context_parallel: 2, tensor_parallel: 1 }, whole, "p2p"],
  ["heads that divide", { context_parallel: 4, tensor_parallel: 2 }, windowed, "a2a"],
  [
    "query groups that do not",
    { context_parallel: 4, tensor_parallel: 1 },
    modelRequest("mistral", { ...shape, kv_heads: 2, window: 512 }),
    "all_gather",
  ],
  [
    "query groups that do not on a tensor-parallel rank",
    { context_parallel: 4, tensor_parallel: 2 },
    modelRequest("mistral", { ...shape, kv_heads: 4, window: 512 }),
    "all_gather",
  ],
])("%s", (_, pins, model, way) => {
  const { errors, values } = lowered(pins, model);
  expect(errors).toEqual([]);
  expect(values?.["cp_comm_type"]).toEqual([way]);
});

it("refuses a ring that is asked for beside a window", () => {
  const { errors } = lowered({ context_parallel: 2 }, windowed, { rawMegatron: { cp_comm_type: "p2p" } });
  expect(errors.map(({ code }) => code)).toEqual(["cdr/megatron-context-window"]);
});

it("refuses unfused attention where ranks share sequences, and says what to write", () => {
  const { errors } = lowered({ context_parallel: 2 }, whole, { attention: "eager" });
  expect(errors.map(({ code, message, valid }) => [code, message, valid])).toEqual([
    ["cdr/layout-empty", expect.stringMatching(/attention = flash.*context_parallel = 1/), ["1"]],
  ]);
});

it("never chooses shared sequences for unfused attention", () => {
  const { errors, layout } = lowered({ tensor_parallel: 1, pipeline_parallel: 1 }, whole, {
    attention: "eager",
    // Fewer sequences than GPUs.
    batch: given({ unit: "samples", value: 4 } as const),
  });
  expect(layout?.context_parallel ?? 1).toBe(1);
  expect(errors.map(({ code }) => code)).toEqual(["cdr/layout-empty"]);
});
