import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { Bound, ClusterSpec, Scalar, StageStep } from "../../../compiler/pipeline.ts";
import { compileText } from "../../support/probes.ts";
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
    [{ expert_parallel: 4 }, "expert_parallel = 4: none of the model's layers has experts"],
    [{ expert_tensor_parallel: 2 }, "expert_tensor_parallel = 2: none of the model's layers has experts"],
    [
      { context_parallel: 3 },
      "context_parallel = 3: each context-parallel rank takes two equal pieces, but 4096 tokens are not a multiple of 6; it does not divide 32 ranks",
    ],
    [
      { pipeline_parallel: 64 },
      "pipeline_parallel = 64: 35 layers are fewer than 64 stages; it does not divide 32 ranks",
    ],
    [{ micro_batch: 100_000 }, "micro_batch = 100000: a step has 512 samples"],
  ] as const)("%j says which rule refuses", (pins, message) => {
    expect(said(refusals(pins))).toEqual([message]);
  });

  it("says that there are no ranks for what would be cut", () => {
    const layout = { given: settings({ sequence_parallel: true }), bounds: new Map() };
    const step = stage(model, { engine: given("megatron"), sequence: given(4096), layout });
    expect(said(plan(pipeline(step, cluster({ gpusPerNode: 1 }))).diagnostics)).toEqual([
      "sequence_parallel = true: it splits the sequence over tensor-parallel ranks, but there is only one rank",
    ]);
    const pins = { context_parallel: 8, virtual_pipeline: 2 };
    expect(said(refusals(pins, {}, cluster()))).toEqual([
      "context_parallel = 8 together with virtual_pipeline = 2: no ranks are left for interleaved stages",
    ]);
  });

  it("says why so many stages do not hold so many chunks, and what may stand in the place of the first pin", () => {
    const even = modelRequest("llama", { layers: 32, d_model: 4096, heads: 32, context: 4096 });
    const refused = (pins: Readonly<Record<string, Scalar>>, samples: number): Diagnostic | undefined => {
      const layout = { given: settings(pins), bounds: new Map() };
      const batch = given({ unit: "samples", value: samples } as const);
      const step = stage(even, { engine: given("megatron"), sequence: given(4096), batch, layout });
      return plan(pipeline(step, cluster({ nodes: 4 }))).diagnostics[0];
    };
    expect(refused({ pipeline_parallel: 4, virtual_pipeline: 12 }, 512)).toMatchObject({
      message: expect.stringMatching(/: 32 layers are fewer than 4 stages of 12 chunks$/),
      valid: ["2"],
    });
    expect(refused({ pipeline_parallel: 4, virtual_pipeline: 2, data_parallel: 8 }, 24)).toMatchObject({
      message: expect.stringMatching(
        /24 samples of a step are 3 for each of 8 replicas, which 2 or 4 stages do not divide$/,
      ),
      valid: ["1"],
    });
  });

  it("says of a release that deals out no single layers what chunks its stages hold", () => {
    const refused = (engine: string): readonly Diagnostic[] =>
      compileText(`import "std/clusters" { dgx_h100 }
import "std/models" { llama3_8b }
cluster pod extends dgx_h100 { nodes = 4 }
data d { from = random(tokens = 100B tokens) }
stage s {
  model = llama3_8b, data = d, length = 1000 steps, batch = 512 samples, context = 4096 tokens
  optimizer = adamw(lr = 1e-4), engine = ${engine}, layout { virtual_pipeline = 3 }
}
launch l on pod { target = slurm() }`).diagnostics.filter(({ severity }) => severity === "error");
    expect(refused('megatron(version = "0.12")')).toMatchObject([
      {
        message: expect.stringMatching(
          /^no layout satisfies virtual_pipeline = 3: 32 layers, .* 2, 4, 8, 16, or 32 stages$/,
        ),
        valid: ["1", "2", "4", "8", "16", "17"],
      },
    ]);
    expect(refused('megatron(version = "0.13")')).toEqual([]);
  });

  it("of experts that no layer has and chunks of a pattern, whatever the family says of them", () => {
    const hybrid = (pattern: string, pins: Readonly<Record<string, Scalar>>): StageStep => {
      const pinned = { layout: { given: settings(pins), bounds: new Map() } };
      return stage(modelRequest("nemotron_h", { pattern, d_model: 1024, context: 2048 }), {
        engine: given("megatron"),
        sequence: given(2048),
        ...pinned,
      });
    };
    const told = (pattern: string, pins: Readonly<Record<string, Scalar>> = { expert_parallel: 2 }): string[] =>
      said(plan(pipeline(hybrid(pattern, pins), cluster({ nodes: 4 }))).diagnostics);
    expect(told("M-*-M-")).toEqual(["expert_parallel = 2: none of the model's layers has experts"]);
    expect(told("M-*-ME")).toEqual([]);
    expect(told("M-*-M-", { virtual_pipeline: 3 })).toEqual([
      "virtual_pipeline = 3: models with several kinds of layers allow only one chunk per stage",
    ]);
  });

  it("has the values that would do", () => {
    const values = (pins: Readonly<Record<string, Scalar>>): readonly string[] | undefined =>
      refusals(pins)[0]?.valid;
    expect(values({ pipeline_parallel: 5 })).toEqual(["1", "2", "4", "8", "16", "32"]);
    expect(values({ micro_batch: 100_000 })).toEqual(["1", "2", "4", "8", "16", "32", "64", "128", "256", "512"]);
    expect(values({ micro_batch: 3 })).toEqual(["480 samples", "576 samples"]);
  });

  it("counts the replicas that some engine makes, and has what some engine takes", () => {
    const among = { oneOf: null, min: 20, max: 31 };
    expect(refusals({}, { micro_batch: among })).toMatchObject([
      {
        message: "no layout satisfies micro_batch in 20..31: none of its values divides 512 samples of a step",
        valid: expect.arrayContaining(["16", "32", "512"]),
      },
    ]);
    const layout = { given: new Map(), bounds: new Map([["micro_batch", { ...among, spans: [span] }]]) };
    const alone = stage(model, { engine: given("torch"), sequence: given(4096), layout });
    expect(plan(pipeline(alone, cluster({ nodes: 4 }))).diagnostics).toMatchObject([
      {
        message: expect.stringMatching(/a step has 512 samples for 32 replicas$/),
        valid: ["1", "2", "4", "8", "16"],
      },
    ]);
  });

  it("names both of two pins that are for different engines, or that one engine has apart", () => {
    const even = modelRequest("llama", { layers: 32, d_model: 4096, heads: 32, context: 4096 });
    const refused = (layout: StageStep["layout"]): readonly Diagnostic[] =>
      plan(pipeline(stage(even, { layout, sequence: given(4096) }), cluster({ nodes: 4 }))).diagnostics;
    const least = { oneOf: null, min: 2, max: null, spans: [span] };
    const bounds = new Map([
      ["zero_stage", least],
      ["pipeline_parallel", least],
    ]);
    expect(refused({ given: new Map(), bounds })).toMatchObject([
      {
        code: "cdr/layout-empty",
        message: expect.stringMatching(
          /zero_stage >= 2 together with pipeline_parallel >= 2: zero_stage >= 2 needs engine torch or deepspeed; pipeline_parallel >= 2 needs engine deepspeed or megatron; a pipeline of deepspeed needs zero_stage 0 or 1$/,
        ),
        valid: ["0", "1"],
        related: [{ message: "together with pipeline_parallel >= 2" }],
      },
    ]);
    const pinned = (pins: Readonly<Record<string, Scalar>>): readonly Diagnostic[] =>
      refused({ given: settings(pins), bounds: new Map() });
    expect(pinned({ zero_stage: 2, tensor_parallel: 2 })).toMatchObject([
      {
        code: "cdr/layout-empty",
        message: expect.stringMatching(
          /zero_stage = 2 together with tensor_parallel = 2: zero_stage = 2 needs engine torch or deepspeed; tensor_parallel = 2 needs engine megatron$/,
        ),
        valid: ["0", "1"],
      },
    ]);
    expect(pinned({ offload: "activations", zero_stage: 3, tensor_parallel: 2 })).toMatchObject([
      {
        code: "cdr/layout-empty",
        message: expect.stringMatching(/^no layout satisfies zero_stage = 3 together with tensor_parallel = 2: /),
      },
    ]);
  });

  it("tells of a pin that nothing satisfies, not of words that are for other engines than it would need", () => {
    expect(said(refusals({ zero_stage: 2, tensor_parallel: 2 }))).toEqual([
      "tensor_parallel = 2: it does not divide kv_heads 17",
    ]);
  });

  it("of one that no engine does, or the named one does not, says what is done", () => {
    const layout = {
      given: new Map(),
      bounds: new Map([["zero_stage", { oneOf: null, min: 2, max: null, spans: [span] }]]),
    };
    const step = stage(model, { engine: given("megatron"), sequence: given(4096), layout });
    expect(said(plan(pipeline(step, cluster())).diagnostics)).toEqual([
      "zero_stage >= 2: engine megatron supports only zero_stage 0 or 1",
    ]);
  });

  it("says what a sequence is not cut into", () => {
    const odd = stage(model, {
      engine: given("megatron"),
      sequence: given(4095),
      layout: { given: settings({ sequence_parallel: true }), bounds: new Map() },
    });
    expect(said(plan(pipeline(odd, cluster({ nodes: 1 }))).diagnostics)).toEqual([
      "sequence_parallel = true: a sequence of 4095 tokens cannot be split evenly over 2, 4, or 8 tensor-parallel ranks",
    ]);
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

  it("says why there are too many ranks for a batch, or the wrong number of them", () => {
    const on = (nodes: number): string => {
      const step = stage(model, { engine: given("megatron"), sequence: given(4096) });
      return said(plan(pipeline(step, cluster({ nodes }))).diagnostics).join("\n");
    };
    expect(on(1_000_000)).toMatch(
      /^the rules of the engine: even with the largest splits, 8000000 ranks are \d+ replicas, but a step has 512 samples$/,
    );
    expect(on(5000)).toMatch(
      /^the rules of the engine: 40000 ranks are \d+ or more replicas, and no possible number of them divides the 512 samples of a step$/,
    );
  });

  it("names a bound as it was written", () => {
    const [only] = refusals({}, { tensor_parallel: { min: 64 } });
    expect(said(only === undefined ? [] : [only])).toEqual(["tensor_parallel >= 64: there are 32 ranks"]);
    expect(only?.valid).toEqual(["1"]);
    expect(said(refusals({}, { context_parallel: { min: 5, max: 7 } }))).toEqual([
      "context_parallel in 5..7: it contains no divisor of 32 ranks",
    ]);
  });
});

describe("a model that is larger than the cluster", () => {
  const wide = modelRequest("llama", { layers: 32, d_model: 4096, heads: 32, context: 4096 });

  it("says the least number of devices that would hold it", () => {
    const large = modelRequest("llama", {
      layers: 80,
      d_model: 8192,
      heads: 64,
      kv_heads: 8,
      d_ff: 28672,
      context: 4096,
    });
    const layout = { given: settings({ tensor_parallel: 8, offload: "none" }), bounds: new Map() };
    const on = (nodes: number): readonly Diagnostic[] =>
      plan(pipeline(stage(large, { layout }), cluster({ nodes }))).diagnostics;
    const [first] = on(1);
    const least = Number(/(\d+) devices \((\d+) nodes/.exec(first?.message ?? "")?.[2]);
    expect(least).toBeGreaterThan(1);
    expect(on(least)).toEqual([]);
    for (let nodes = 1; nodes < least; nodes++) expect(on(nodes).map(({ code }) => code)).not.toEqual([]);
  });

  const told = (model: StageStep["model"], sequence: number, rest: Partial<StageStep> = {}): string =>
    plan(pipeline(stage(model, { engine: given("megatron"), sequence: given(sequence), ...rest }), cluster()))
      .diagnostics.map(({ message }) => message)
      .join("\n");

  it("is one that may not fit where the estimate's error decides, as the layouts beside it are", () => {
    const said = new Set<string>();
    for (let samples = 1; samples <= 64; samples *= 2) {
      const pinned = { layout: { given: settings({ micro_batch: samples, recompute: "none" }), bounds: new Map() } };
      const step = stage(wide, { ...pinned, engine: given("megatron"), sequence: given(4096) });
      const { plan: made, diagnostics } = plan(pipeline(step, cluster({ nodes: 2 })));
      const [only] = made.stages;
      if (only === undefined) continue;
      const { peak, usable, error, parts } = only.memory;
      const counted = parts.weights + parts.gradients + parts.optimizer;
      const most = usable * Math.exp(Math.asinh(error ?? 0));
      const least = usable / Math.exp(Math.asinh(error ?? 0));
      const surely = counted + (peak - counted) / Math.exp(Math.asinh(error ?? 0));
      const word = peak <= least ? [] : surely <= usable ? ["cdr/memory-tight"] : ["cdr/memory-exceeded"];
      expect(diagnostics.map(({ code }) => code).filter((code) => code.includes("memory"))).toEqual(word);
      for (const { memory, why_not } of only.alternatives) {
        if (memory.peak > most) expect(why_not).toMatch(/^needs /);
        // An alternative does not say what of it is counted.
        else if (memory.peak > usable) expect(why_not).toMatch(/^(?:may not fit:|needs) /);
        else if (memory.peak > least) expect(why_not).toMatch(/^leaves less /);
        said.add(why_not.split(" ")[0] ?? "");
      }
    }
    expect(said).toContain("may");
    expect(said).toContain("needs");
  });

  it("says how many where its heads and layers go with few numbers of devices", () => {
    // 57 pairs of stages and 29 pairs of heads: what is rented in powers of two never holds it.
    const odd = modelRequest("llama", { layers: 114, d_model: 59_392, heads: 464, kv_heads: 8, context: 2048 });
    const layout = { given: settings({ offload: "none" }), bounds: new Map() };
    const nodes = Number(/(\d+) devices \((\d+) nodes/.exec(told(odd, 2048, { layout }))?.[2]);
    const step = stage(odd, { engine: given("megatron"), sequence: given(2048), layout });
    expect(plan(pipeline(step, cluster({ nodes })))).toMatchObject({ diagnostics: [] });
  });

  it("says why no number of devices would", () => {
    const long = modelRequest("llama", { layers: 32, d_model: 4096, heads: 32, context: 1e12 });
    expect(told(long, 1e12)).toMatch(
      /; no number of h100_sxm up to 131072 would be enough: .* the activations of one sample take .* of each$/,
    );
    const vast = modelRequest("llama", { layers: 4, d_model: 1e9, heads: 5e6, context: 2048 });
    expect(told(vast, 2048)).toMatch(/its weights, gradients and optimizer states take \d+ TiB of each$/);
    const unpiped = {
      engine: given("deepspeed" as const),
      layout: { given: settings({ pipeline_parallel: 1 }), bounds: new Map() },
    };
    expect(told(vast, 2048, unpiped)).toMatch(/: each gathers two whole layers, which take /);
    const small = cluster({ device: { ...device("h100_sxm"), memory: 1e6 } });
    const none = plan(pipeline(stage(wide, { engine: given("megatron"), sequence: given(4096) }), small));
    expect(none.diagnostics[0]?.message).toMatch(/: the program alone, without a model, takes .* of each$/);
    const deep = modelRequest("gemma3", { layers: 5000, d_model: 2560, context: 4096 });
    expect(told(deep, 4096, unpiped)).toMatch(/: the activations of one sample take [\d.]+ GiB of each$/);
    // Ranks that hold all of it are no help to each other.
    const whole = { layout: { given: settings({ zero_stage: 0, pipeline_parallel: 1 }), bounds: new Map() } };
    const large = modelRequest("llama", { layers: 80, d_model: 8192, heads: 64, context: 4096 });
    expect(told(large, 4096, { engine: given("deepspeed"), ...whole })).toMatch(
      /: its weights, gradients and optimizer states take \d+ \w+ of each$/,
    );
  });

  const refused = (values: Readonly<Record<string, Scalar>>, rest: Partial<StageStep> = {}): string => {
    const layout = { given: settings(values), bounds: new Map() };
    const step = stage(wide, { layout, batch: given({ unit: "samples", value: 8 } as const), ...rest });
    const on = cluster({ device: device("rtx_4090") });
    return plan(pipeline(step, on))
      .diagnostics.map(({ message }) => message)
      .join("\n");
  };

  it("advises no engine that refuses the layout or what is trained", () => {
    const large = modelRequest("llama", { layers: 32, d_model: 8192, heads: 64, context: 8192 });
    const pins = {
      tensor_parallel: 1,
      pipeline_parallel: 1,
      context_parallel: 1,
      recompute: "full",
      offload: "none",
    };
    const layout = { given: settings(pins), bounds: new Map() };
    const rest = { engine: given("megatron" as const), layout, sequence: given(8192) };
    const of = (more: Partial<StageStep>): string =>
      plan(pipeline(stage(large, { ...rest, ...more }), cluster({ nodes: 4 })))
        .diagnostics.map(({ message }) => message)
        .join("\n");
    expect(of({})).toContain("`engine = torch`");
    expect(of({ details: { block: 4 } })).toContain("it fits without");
    expect(of({ details: { block: 4 } })).not.toMatch(/engine = (?:torch|deepspeed)/);
    const adapters = { rank: 16, alpha: 32, dropout: 0, targets: ["q_proj"], quantized: false, span };
    const tuned = stage(modelRequest("llama", { layers: 200, d_model: 16_384, heads: 128, context: 8192 }), {
      sequence: given(8192),
      tuning: { adapters, freeze: null },
      layout: { given: settings({ offload: "none" }), bounds: new Map() },
    });
    const messages = plan(pipeline(tuned, cluster()))
      .diagnostics.map(({ message }) => message)
      .join("\n");
    expect(messages).toMatch(/devices/);
    expect(messages).not.toContain("megatron");
  });

  it("names the fewest pins that are in the way, and what fits without them", () => {
    const pins = { pipeline_parallel: 1, zero_stage: 1, recompute: "full", micro_batch: 1 };
    const [, gone, layout] =
      /it fits without (.*?) \((.*?)\)/.exec(refused(pins, { engine: given("deepspeed") })) ?? [];
    expect(gone).toBe("`zero_stage = 1`");
    expect(layout).toContain("micro_batch 1");
    expect(refused({ ...pins, zero_stage: 3, offload: "all" })).toMatch(
      /^offload = all needs about .* of host memory per node.*$/,
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
