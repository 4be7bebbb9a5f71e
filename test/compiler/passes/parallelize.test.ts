import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { Bound, ClusterSpec, Scalar, StageStep } from "../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../compiler/plan.ts";
import {
  cluster,
  device,
  given,
  modelRequest,
  pipeline,
  settings,
  sizeOf,
  span,
  stage,
} from "../../support/pipeline.ts";

const model = modelRequest("gpt2", { vocab: 50_304 }, { size: sizeOf(124e6) });

function layout(
  values: Readonly<Record<string, Scalar>>,
  bounds: Readonly<Record<string, Partial<Bound>>> = {},
): StageStep["layout"] {
  const full = Object.entries(bounds).map(
    ([name, rest]) => [name, { min: null, max: null, oneOf: null, spans: [span], ...rest }] as const,
  );
  return { given: settings(values), bounds: new Map(full) };
}

function messages(rest: Partial<StageStep>, on: ClusterSpec = cluster()): string[] {
  return plan(pipeline(stage(model, rest), on)).diagnostics.map((d) => `${d.code.slice(4)}: ${d.message}`);
}

function planned(rest: Partial<StageStep>, on: ClusterSpec = cluster()): StagePlan {
  const result = plan(pipeline(stage(model, rest), on));
  const [first] = result.plan.stages;
  if (first === undefined) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  return first;
}

describe("a batch", () => {
  it("is the product of micro-batch, accumulation and ranks, whatever the ranks", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 64 }),
        (nodes, gpusPerNode, k) => {
          const { batch, layout } = planned(
            { batch: given({ unit: "samples", value: k * nodes * gpusPerNode }) },
            cluster({ nodes, gpusPerNode }),
          );
          expect(batch.micro_batch * batch.accumulation * layout.data_parallel).toBe(batch.global_batch);
          expect(batch.tokens_per_step).toBe(batch.global_batch * batch.sequence);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("that does not divide names the ones that do", () => {
    const batch = given({ unit: "samples", value: 480 } as const);
    const rest = { engine: given("torch" as const), batch, layout: layout({ micro_batch: 8 }) };
    expect(messages(rest, cluster({ gpusPerNode: 7 }))).toEqual([
      "batch-divisibility: batch = 480 samples is not divisible by 7 ranks x micro_batch 8 = 56: nearest 448, 504",
    ]);
    expect(messages(rest, cluster({ gpusPerNode: 8, nodes: 2 }))).toEqual([
      "batch-divisibility: batch = 480 samples is not divisible by 16 ranks x micro_batch 8 = 128: nearest 384, 512; micro_batch values that divide: 1, 2, 3, 5, 6, 10, 15, 30",
    ]);
    const [first] = plan(pipeline(stage(model, rest), cluster({ gpusPerNode: 7 }))).diagnostics;
    expect(first?.fixes.map((fix) => fix.edits[0]?.newText)).toEqual(["448 samples", "504 samples"]);
  });

  it("of fewer samples than ranks is for an engine of which ranks share samples, and else the plainest says why not", () => {
    const rest = { batch: given({ unit: "samples", value: 4 } as const) };
    const on = cluster({ gpusPerNode: 8 });
    expect(planned(rest, on).batch.global_batch).toBe(4);
    expect(messages({ ...rest, engine: given("torch" as const) }, on)).toEqual([
      "batch-divisibility: batch = 4 samples is not divisible by 8 ranks: nearest 8",
    ]);
    const seven = { batch: given({ unit: "samples", value: 3 } as const), layout: layout({ micro_batch: 2 }) };
    expect(messages(seven, on)).toEqual([
      "batch-divisibility: batch = 3 samples is not divisible by 8 ranks x micro_batch 2 = 16: nearest 16; micro_batch values that divide: 1, 3; no layout of torch, deepspeed, or megatron allows it",
    ]);
  });

  it("in tokens holds whole samples", () => {
    expect(messages({ batch: given({ unit: "tokens", value: 500_000 }) })).toEqual([
      "batch-tokens: batch = 500000 tokens is not a whole number of samples of 1024 tokens: nearest 499712, 500736",
    ]);
    expect(planned({ batch: given({ unit: "tokens", value: 524_288 }) }).batch.global_batch).toBe(512);
  });
});

it("has origins of what it says, and of nothing else", () => {
  const plain = planned({});
  const valueAt = (path: string): unknown =>
    path.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], plain);
  const paths = Object.keys(plain.origins).filter((path) =>
    /^(?:layout|batch|total)\.|^(?:engine|trained)$/.test(path),
  );
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => valueAt(path) === undefined)).toEqual([]);
});

describe("a length", () => {
  it("in tokens is rounded up to steps, and says so", () => {
    const { total, origins } = planned({ length: given({ unit: "tokens", value: 1e9 }) });
    expect(total).toMatchObject({ steps: 1908, tokens: 1908 * 512 * 1024 });
    expect(origins["total.steps"]).toMatchObject({ rule: "length / tokens_per_step, rounded up from 1907.35" });
  });

  it("in epochs needs the tokens of the data", () => {
    expect(messages({ length: given({ unit: "epochs", value: 3 }) })).toEqual([
      "batch-epochs: length = 3 epochs cannot be converted to steps: the number of tokens of data corpus is unknown",
    ]);
  });

  it("is at least one step", () => {
    expect(messages({ length: given({ unit: "steps", value: 0 }) })).toEqual([
      "batch-length: length = 0 steps is less than one step",
    ]);
    expect(messages({ length: given({ unit: "tokens", value: 524_287 }) })).toEqual([
      "batch-length: length = 524287 tokens is less than one step, which takes 524288 tokens",
    ]);
    expect(planned({ length: given({ unit: "tokens", value: 524_288 }) }).total.steps).toBe(1);
  });

  it("of a sample fits the context", () => {
    expect(messages({ sequence: given(2048) })).toEqual([
      "size-context: samples of 2048 tokens do not fit the model's context of 1024 tokens",
    ]);
  });
});

describe("a layout", () => {
  it("shards what does not fit whole", () => {
    const large = modelRequest("llama", { layers: 32, d_model: 4096, d_ff: 11008, context: 4096 });
    const rest = { sequence: given(4096), batch: given({ unit: "samples", value: 256 } as const) };
    const [first] = plan(pipeline(stage(large, rest))).plan.stages;
    expect(first?.engine).toBe("torch");
    expect(first?.layout.zero_stage).toBeGreaterThan(0);
    expect(first?.memory.peak).toBeLessThan(first?.memory.usable ?? 0);
    expect(first?.alternatives.length).toBeGreaterThan(2);
    for (const other of first?.alternatives ?? []) expect(other.why_not).not.toBe("");
  });

  it("keeps pins and bounds", () => {
    const one = planned({ layout: layout({ micro_batch: 4, zero_stage: 2, recompute: "full" }) });
    expect(one.batch.micro_batch).toBe(4);
    expect(one.layout).toMatchObject({ zero_stage: 2, recompute: "full", offload: "none" });
    const bounded = planned({ layout: layout({}, { micro_batch: { max: 8 }, zero_stage: { min: 1, max: 2 } }) });
    expect(bounded.batch.micro_batch).toBeLessThanOrEqual(8);
    expect([1, 2]).toContain(bounded.layout.zero_stage);
  });

  it.each([
    [
      { zero_stage: 4 },
      "layout-unsupported: engine torch, deepspeed, or megatron does not support zero_stage = 4; no engine here does",
    ],
    [
      { zero_stage: 2, offload: "all" },
      "layout-empty: no layout satisfies zero_stage = 2 together with offload = all: offload = all needs zero_stage 3",
    ],
  ] as const)("%j is refused", (values, message) => {
    expect(messages({ layout: layout(values) })).toEqual([message]);
  });

  it("that cannot fit says what takes the room", () => {
    const huge = modelRequest("llama", {
      layers: 80,
      d_model: 8192,
      heads: 64,
      kv_heads: 8,
      d_ff: 28672,
      vocab: 128256,
      context: 8192,
    });
    const rest = { engine: given("deepspeed" as const), sequence: given(8192), layout: layout({ offload: "none" }) };
    const { diagnostics } = plan(pipeline(stage(huge, rest)));
    expect(diagnostics.map((d) => d.message)).toEqual([
      expect.stringMatching(
        /^the leanest layout \(micro_batch 1, zero_stage 3, recompute full\) needs about \d+ GiB per rank of 72\.\d GiB usable; most of it is optimizer/,
      ),
    ]);
  });

  it("of a model that the engine has none of is no plan", () => {
    const mamba = modelRequest("mamba", { layers: 8, d_model: 1024, context: 2048 });
    const { plan: none, diagnostics } = plan(
      pipeline(stage(mamba, { engine: given("megatron"), sequence: given(2048) }), cluster()),
    );
    expect(none.stages).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["cdr/engine-model"]);
  });

  it("that barely fits is a warning", () => {
    const pins = layout({ micro_batch: 32, zero_stage: 0, recompute: "none" });
    const rest = { engine: given("torch" as const), layout: pins };
    const { peak, usable, capacity } = planned(rest, cluster({ gpusPerNode: 1 })).memory;
    const on = cluster({ device: { ...device("h100_sxm"), memory: (peak / usable) * capacity }, gpusPerNode: 1 });
    expect(messages(rest, on)).toEqual([
      expect.stringMatching(/^memory-tight: the layout \(micro_batch 32, zero_stage 0\) is estimated at/),
    ]);
  });

  it("whose weights, gradients and optimizer alone are more than the card has does not fit for certain", () => {
    const large = modelRequest("llama", { vocab: 32000, context: 512 }, { size: sizeOf(5.2e9) });
    const batch = given({ unit: "samples" as const, value: 8 });
    const rest = { engine: given("torch" as const), sequence: given(512), batch };
    const { diagnostics } = plan(pipeline(stage(large, rest), cluster({ gpusPerNode: 1 })));
    expect(diagnostics.map(({ code, message }) => `${code.slice(4)}: ${message}`)).toEqual([
      expect.stringMatching(
        /^memory-exceeded: the leanest layout .* needs about 8\d.* of 7\d.* usable; .* \d devices .* with engine torch would be enough$/,
      ),
    ]);
  });

  it.each([
    [
      "gemma2",
      "sdpa",
      /^attention-unfused: torch has no fused attention for this stage: Gemma2ForCausalLM has no SDPA/,
    ],
    ["mpt", "flash_attention_2", /^attention-heads: torch has no FlashAttention for this stage: MptForCausalLM has/],
    ["mamba2", "flash_attention_2", /^attention-heads: torch has no FlashAttention .* Mamba2ForCausalLM has/],
  ] as const)("of %s with %s says what the class has none of", (family, attention, said) => {
    const own = modelRequest(family, { layers: 2, d_model: 512, context: 2048, vocab: 50_304 });
    const step = stage(own, { engine: given("torch" as const), sequence: given(2048), attention });
    const { diagnostics } = plan(pipeline(step, cluster()));
    const told = diagnostics.filter(({ code }) => code !== "cdr/scan-unfused");
    expect(told.map(({ code, message }) => `${code.slice(4)}: ${message}`)).toEqual([expect.stringMatching(said)]);
  });

  it.each([
    ["mamba", "torch", { layers: 2 }, 1],
    ["mamba2", "deepspeed", { layers: 2 }, 1],
    ["bamba", "torch", { layers: 2, pattern: "M*" }, 1],
    ["nemotron_h", "torch", { layers: 2, pattern: "M-" }, 1],
    ["nemotron_h", "torch", { layers: 2, pattern: "*-" }, 0],
    ["nemotron_h", "megatron", { layers: 2, pattern: "M-" }, 0],
    ["rwkv7", "torch", { layers: 2 }, 0],
  ] as const)(
    "of %s on %s is told of the kernels that its recurrence goes without",
    (family, engine, values, times) => {
      const own = modelRequest(family, { d_model: 512, vocab: 1000, context: 1024, ...values });
      const step = stage(own, { engine: given(engine), sequence: given(1024), attention: "sdpa" });
      const { diagnostics } = plan(pipeline(step, cluster()));
      expect(diagnostics.filter(({ code }) => code === "cdr/scan-unfused")).toHaveLength(times);
    },
  );

  it("walks through a recurrence in time that grows with the square of the sequence, where chunks of it grow in line", () => {
    const ratio = (family: "mamba" | "mamba2"): number => {
      const [short = NaN, long = NaN] = [1024, 4096].map((tokens) => {
        const own = modelRequest(family, { layers: 4, d_model: 1024, vocab: 1000, context: tokens });
        const pins = layout({ micro_batch: 1, zero_stage: 0, recompute: "none" });
        const rest = { engine: given("torch" as const), sequence: given(tokens), layout: pins };
        const { stages } = plan(pipeline(stage(own, rest), cluster({ gpusPerNode: 1 }))).plan;
        return stages[0]?.time.parts["compute"] ?? NaN;
      });
      return long / short;
    };
    expect(ratio("mamba")).toBeGreaterThan(8);
    expect(ratio("mamba2")).toBeLessThan(5);
  });

  it("of a family whose class has no fused attention at all is told to take another, and not other heads", () => {
    const own = modelRequest("mpt", { layers: 2, d_model: 512, context: 2048 });
    const step = stage(own, { engine: given("torch" as const), sequence: given(2048), attention: "sdpa" });
    const told = plan(pipeline(step, cluster())).diagnostics.filter(({ code }) => code === "cdr/attention-unfused");
    expect(told.map(({ fix }) => fix)).toEqual([expect.stringMatching(/^Use a family whose class has/)]);
  });

  it("that offloads needs room on the host", () => {
    const rest = { layout: layout({ offload: "optimizer" }) };
    expect(messages(rest, cluster({ ram: 2 ** 30 }))).toEqual([
      expect.stringMatching(
        /^memory-host: offloading needs about .* of host memory per node, which has .* usable, 90 % of 1.0 GiB/,
      ),
    ]);
  });

  it("whose processes alone need more than the host has speaks of no offloading", () => {
    const rest = { layout: layout({ offload: "none" }) };
    expect(messages(rest, cluster({ ram: 2 ** 30 }))).toEqual([
      expect.stringMatching(
        /^memory-host: 8 processes of a node need about .*: the hosts have too little memory for its processes/,
      ),
    ]);
  });

  it("that lives from memory of hosts that nobody described is a warning, and refused beyond any host", () => {
    const rest = { layout: layout({ offload: "optimizer" }) };
    expect(messages(rest, cluster({ ram: null }))).toEqual([
      expect.stringMatching(/^memory-host-unknown: offload = optimizer needs about .*, but cluster pod /),
    ]);
    expect(messages(rest, cluster({ ram: 2e12 }))).toEqual([]);
    const huge = modelRequest("llama", { layers: 900, d_model: 8192 });
    const whole = layout({ offload: "all", micro_batch: 1, recompute: "full", zero_stage: 3 });
    const [told] = messages({ model: huge, layout: whole }, cluster({ ram: null }));
    expect(told).toMatch(/^memory-host: .* at most 3\.3 TiB usable: the cluster has no `ram`/);
  });

  it("on a device without the type is refused", () => {
    const on = cluster({ device: device("v100_32gb") });
    expect(messages({ engine: given("torch" as const) }, on)).toEqual([
      "engine-precision: torch cannot train in bf16 on v100_32gb: it has no such type",
    ]);
  });

  it("has an origin for every value", () => {
    const one = planned({});
    const paths = [
      ...Object.keys(one.layout).map((key) => `layout.${key}`),
      ...Object.keys(one.batch).map((key) => `batch.${key}`),
      ...Object.keys(one.total)
        .filter((key) => key !== "parts")
        .map((key) => `total.${key}`),
      ...Object.keys(one.total.parts).map((key) => `total.parts.${key}`),
      ...Object.keys(one.model)
        .filter((key) => key !== "parameters" && key !== "flops_per_token")
        .map((key) => `model.${key}`),
      ...Object.keys(one.memory.parts).map((key) => `memory.parts.${key}`),
    ];
    expect(paths.filter((path) => one.origins[path] === undefined)).toEqual([]);
  });
});
