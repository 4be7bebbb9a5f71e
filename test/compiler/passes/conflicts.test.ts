import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { Bound, ClusterSpec, Scalar, StageStep } from "../../../compiler/pipeline.ts";
import { cluster, device, given, modelRequest, pipeline, settings, span, stage } from "../../support/pipeline.ts";

const model = modelRequest("llama", {
  layers: 35,
  d_model: 4352,
  heads: 34,
  kv_heads: 17,
  d_ff: 11008,
  context: 4096,
});

function refusals(
  pins: Readonly<Record<string, Scalar>>,
  bounds: Readonly<Record<string, Partial<Bound>>> = {},
  on: ClusterSpec = cluster({ nodes: 4 }),
): readonly Diagnostic[] {
  const limits = Object.entries(bounds).map(
    ([name, rest]) => [name, { min: null, max: null, oneOf: null, spans: [span], ...rest }] as const,
  );
  const layout = { given: settings(pins), bounds: new Map(limits) };
  return plan(pipeline(stage(model, { layout, sequence: given(4096) }), on)).diagnostics;
}

const said = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(({ message }) => message.replace("no layout satisfies ", ""));

describe("a layout that leaves nothing", () => {
  it.each([
    [{ tensor_parallel: 3 }, "tensor_parallel = 3: it does not divide 32 ranks, heads 34, d_ff 11008, kv_heads 17"],
    [{ tensor_parallel: 8 }, "tensor_parallel = 8: it does not divide heads 34, kv_heads 17"],
    [{ pipeline_parallel: 5 }, "pipeline_parallel = 5: it does not divide 32 ranks"],
    [{ expert_parallel: 4 }, "expert_parallel = 4: family llama has no experts here"],
    [
      { context_parallel: 3 },
      "context_parallel = 3: each context-parallel rank takes two equal pieces, and 4096 tokens are not a multiple of 6; it does not divide 32 ranks",
    ],
    [
      { pipeline_parallel: 64 },
      "pipeline_parallel = 64: 35 layers do not fill 64 stages; it does not divide 32 ranks",
    ],
    [{ micro_batch: 100_000 }, "micro_batch = 100000: a step has 512 samples for 32 replicas"],
  ] as const)("%j says which rule refuses", (pins, message) => {
    expect(said(refusals(pins))).toEqual([message]);
  });

  it("has the values that would do", () => {
    const values = (pins: Readonly<Record<string, Scalar>>): readonly string[] | undefined =>
      refusals(pins)[0]?.valid;
    expect(values({ pipeline_parallel: 5 })).toEqual(["1", "2", "4", "8", "16", "32"]);
    expect(values({ micro_batch: 100_000 })).toEqual(["1", "2", "4", "8", "16"]);
  });

  it("names only the pins that stand in each other's way", () => {
    const [only, ...others] = refusals({ pipeline_parallel: 8, context_parallel: 8, micro_batch: 1 });
    expect(said(only === undefined ? [] : [only])).toEqual([
      "pipeline_parallel = 8 together with context_parallel = 8: pipeline_parallel 8 x context_parallel 8 = 64 does not divide 32 ranks",
    ]);
    expect(others).toEqual([]);
    expect(only?.related.map(({ message }) => message)).toEqual(["together with context_parallel = 8"]);
  });

  it("names every contradiction at once", () => {
    expect(said(refusals({ tensor_parallel: 3, pipeline_parallel: 7 })).map((text) => text.split(":")[0])).toEqual([
      "tensor_parallel = 3",
      "pipeline_parallel = 7",
    ]);
  });

  it("names a bound as it was written", () => {
    const [only] = refusals({}, { tensor_parallel: { min: 64 } });
    expect(said(only === undefined ? [] : [only])).toEqual(["tensor_parallel >= 64"]);
    expect(only?.valid).toEqual(["1"]);
  });
});

describe("a model that is larger than the cluster", () => {
  it("says the least number of devices that would hold it", () => {
    const large = modelRequest("llama", {
      layers: 80,
      d_model: 8192,
      heads: 64,
      kv_heads: 8,
      d_ff: 28672,
      context: 4096,
    });
    const layout = { given: settings({ tensor_parallel: 8 }), bounds: new Map() };
    const on = (nodes: number): readonly Diagnostic[] =>
      plan(pipeline(stage(large, { layout }), cluster({ nodes }))).diagnostics;
    const [first] = on(1);
    const least = Number(/(\d+) devices \((\d+) nodes/.exec(first?.message ?? "")?.[2]);
    expect(least).toBeGreaterThan(1);
    expect(on(least)).toEqual([]);
    for (let nodes = 1; nodes < least; nodes++) expect(on(nodes).map(({ code }) => code)).not.toEqual([]);
  });

  const wide = modelRequest("llama", { layers: 32, d_model: 4096, heads: 32, context: 4096 });
  const refused = (values: Readonly<Record<string, Scalar>>, rest: Partial<StageStep> = {}): string => {
    const layout = { given: settings(values), bounds: new Map() };
    const step = stage(wide, { layout, batch: given({ unit: "samples", value: 8 } as const), ...rest });
    const on = cluster({ device: device("rtx_4090") });
    return plan(pipeline(step, on))
      .diagnostics.map(({ message }) => message)
      .join("\n");
  };

  it("names the fewest pins that are in the way, and what fits without them", () => {
    const pins = { zero_stage: 1, recompute: "full", micro_batch: 1 };
    const [, gone, layout] = /it fits without (.*?) \((.*?)\)/.exec(refused(pins)) ?? [];
    expect(gone).toBe("`zero_stage = 1`");
    expect(layout).toContain("micro_batch 1");
    expect(refused({ ...pins, zero_stage: 3, offload: "all" })).toMatch(
      /^with offload = all each node holds about .*$/,
    );
  });

  it("names other engines that have room, and they have", () => {
    const larger = modelRequest("llama", { layers: 40, d_model: 5120, heads: 40, context: 4096 });
    const said = refused({}, { model: larger, engine: given("torch") });
    const named = [...said.matchAll(/`engine = (\w+)`/g)].map(([, engine]) => engine);
    expect(named).toContain("deepspeed");
    for (const engine of named)
      expect(refused({}, { model: larger, engine: given(engine as "deepspeed") })).not.toContain("the leanest");
  });
});
