/** What options of engines that shard cost and spare, as a plan says it. */
import { describe, expect, it } from "vitest";
import { trainConfig } from "../../../compiler/engines/trainer.ts";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { EngineName, StageStep } from "../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../compiler/plan.ts";
import { diskBandwidth } from "../../../compiler/planner/nvme.ts";
import { cluster, device, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";
import { compileText } from "../../support/probes.ts";

const model = modelRequest("llama", { layers: 16, d_model: 2048, vocab: 32_000 });

function planned(engine: EngineName, over: number | null, zero_stage: number, network = 400e9): StagePlan {
  const [one] = plan(
    pipeline(
      stage(model, {
        engine: given(engine),
        sharding: { over: over === null ? null : given(over), quantize: null, nvme: null },
        layout: { given: settings({ zero_stage }), bounds: new Map() },
      }),
      cluster({ nodes: 4, network }),
    ),
  ).plan.stages;
  if (one === undefined) throw new Error("no plan");
  return one;
}

it.each([2, 3])("groups that hold a copy each wait for a slow network: stage %i", (zero) => {
  const on = (network: number): number => planned("torch", 8, zero, network).time.step;
  expect(on(1.25e8)).toBeGreaterThan(2 * on(4e11));
});

it("holds the same shards of the weights at stage 2 and 3, as large as its group makes them", () => {
  const weights = (over: number | null, zero: number): number => planned("torch", over, zero).memory.parts.weights;
  expect(weights(8, 2) / weights(8, 3)).toBeCloseTo(1, 6);
  expect(weights(8, 2) / weights(32, 2)).toBeCloseTo(4, 6);
});

describe("groups that nobody named", () => {
  const sizes = [8, 16, 32];

  it.each([4e11, 2e10, 1.25e9])("are those of the fastest plan, or all ranks: network %d", (network) => {
    const open = planned("torch", null, 3, network);
    const each = sizes.map((over) => planned("torch", over, 3, network));
    const least = Math.min(...each.map(({ time }) => time.step));
    expect(open.time.step).toBeLessThanOrEqual(1.011 * least);
    const same = each.find(({ layout }) => (layout.shard_over ?? 32) === (open.layout.shard_over ?? 32));
    expect(open.time.step).toBeCloseTo(same?.time.step ?? 0, 12);
  });

  it("are whole nodes where the network is slow", () => {
    expect(planned("torch", null, 3, 1.25e9).layout.shard_over).toBe(8);
  });

  it("are what the program is told", () => {
    const open = planned("torch", null, 3, 1.25e9);
    const step = stage(model, { engine: given("torch") });
    expect(trainConfig(step, open, null).sharding).toEqual({ stage: 3, over: 8 });
  });

  it("are no choice where a layout leaves each rank a whole model", () => {
    expect(planned("torch", null, 0, 1.25e9).layout).not.toHaveProperty("shard_over");
  });
});

it("counts DeepSpeed's second copy, and that backward passes gather within the group", () => {
  const [with8, without] = [planned("deepspeed", 8, 3, 1.25e8), planned("deepspeed", null, 3, 1.25e8)];
  expect(with8.memory.parts.weights).toBeGreaterThan(without.memory.parts.weights);
  expect(with8.time.step).toBeLessThan(without.time.step);
});

describe("DeepSpeed's stage 3", () => {
  const on = (
    sharding: Partial<StageStep["sharding"]>,
    offload: string,
    rest: Parameters<typeof cluster>[0] = {},
  ): ReturnType<typeof plan> =>
    plan(
      pipeline(
        stage(model, {
          engine: given("deepspeed"),
          sharding: { over: null, quantize: null, nvme: null, ...sharding },
          layout: {
            given: settings({ zero_stage: 3, offload, micro_batch: 1, recompute: "full" }),
            bounds: new Map(),
          },
        }),
        cluster({ nodes: 4, network: 50e9, ...rest }),
      ),
    );
  const parts = (made: ReturnType<typeof plan>): Readonly<Record<string, number>> =>
    made.plan.stages[0]?.time.parts ?? {};

  it("sends half of the weights' bytes and a quarter of the gradients' where it quantizes them", () => {
    const plain = parts(on({}, "none"));
    const weights = parts(on({ quantize: given(["weights"]) }, "none"));
    const both = parts(on({ quantize: given(["weights", "gradients"]) }, "none"));
    // Two gathers and a scatter of 2 bytes each; a part of them is hidden.
    expect((weights["data_comm"] ?? 0) / (plain["data_comm"] ?? 1)).toBeLessThan(0.75);
    expect(both["data_comm"]).toBeLessThan(weights["data_comm"] ?? 0);
    expect(weights["other"]).toBeGreaterThan(plain["other"] ?? 0);
  });

  it("scatters gradients as they are where there is one node", () => {
    const one = (quantize: StageStep["sharding"]["quantize"]): unknown =>
      parts(on({ quantize }, "none", { nodes: 1 }))["data_comm"];
    expect(one(given(["gradients"]))).toBe(one(null));
  });

  it("leaves buffers and sums of gradients on the host where the rest is on a disk, and waits for it", () => {
    const ram = on({}, "optimizer");
    const disk = on({ nvme: given("/local") }, "optimizer");
    const [a, b] = [ram, disk].map((made) => made.plan.stages[0]);
    expect(b?.memory.host_peak).not.toBe(a?.memory.host_peak);
    const shard = (b?.model.parameters.total ?? 0) / 32;
    expect((parts(disk)["offload"] ?? 0) - (parts(ram)["offload"] ?? 0)).toBeCloseTo((32 * shard) / diskBandwidth, 6);
    expect(b?.total.uncounted.join()).toContain("`nvme`");
  });

  it("swaps the moments that the optimizer has", () => {
    const swapped = (optimizer: string): number => {
      const { plan: made } = compileText(`import "std/models" { llama2_7b }
import "std/clusters" { dgx_h100 }
data web { from = random(tokens = 1B tokens) }
model m extends llama2_7b {}
cluster pod extends dgx_h100 { nodes = 4 }
stage s { model = m, data = web, context = 1024 tokens, length = 10 steps, batch = 64 samples
  engine = deepspeed(nvme = "/local"), optimizer = ${optimizer}, layout { zero_stage = 3, offload = optimizer } }
launch hpc on pod { target = slurm() }
`);
      return made.stages[0]?.time.parts["offload"] ?? 0;
    };
    const of = (moments: number): number => swapped(`sgd(lr = 1e-3, momentum = ${moments})`);
    const [adam, one, none] = [swapped("adamw(lr = 1e-3)"), of(0.9), of(0)];
    expect((adam - one) / (one - none)).toBeCloseTo(1, 6);
    expect(one).toBeGreaterThan(none);
  });

  it("needs no memory of a host for what a disk holds, and room on the disk", () => {
    const large = { ram: 200e9, nodes: 1, device: device("h100_sxm") };
    const at = (sharding: Partial<StageStep["sharding"]>, rest: object = {}): string[] =>
      plan(
        pipeline(
          stage(modelRequest("llama", { layers: 60, d_model: 8192, heads: 64, kv_heads: 8, context: 2048 }), {
            engine: given("deepspeed"),
            sharding: { over: null, quantize: null, nvme: null, ...sharding },
            layout: { given: settings({ zero_stage: 3, offload: "optimizer" }), bounds: new Map() },
          }),
          cluster({ ...large, ...rest }),
        ),
      ).diagnostics.map(({ code, message }) => `${code}: ${message}`);
    expect(at({}).join()).toContain("cdr/memory-host");
    const folder = { nvme: given("/local") };
    expect(at(folder, { ram: 600e9 })).toEqual([]);
    expect(at({}, { ram: 600e9 }).join()).toContain("cdr/memory-host");
    expect(at(folder, { ram: 600e9, disk: 500e9 }).join()).toMatch(
      /cdr\/engine-option.*the disk of a node has 466 GiB/,
    );
  });
});

it("gathers weights of torch's stage 2 once for every micro-batch, and of stage 3 twice", () => {
  const at = (zero_stage: number, samples: number): number => {
    const [made] = plan(
      pipeline(
        stage(model, {
          engine: given("torch"),
          sharding: { over: given(32), quantize: null, nvme: null },
          batch: given({ unit: "samples", value: samples } as const),
          layout: { given: settings({ zero_stage, micro_batch: 1, recompute: "none" }), bounds: new Map() },
        }),
        cluster({ nodes: 4, network: 1e9 }),
      ),
    ).plan.stages;
    return made?.time.parts["data_comm"] ?? 0;
  };
  // So slow a network hides next to nothing: with twice the micro-batches all of it is sent twice.
  expect(at(2, 128) / at(2, 32)).toBeCloseTo(4, 1);
  expect(at(2, 32) / at(3, 32)).toBeCloseTo(2 / 3, 1);
});
