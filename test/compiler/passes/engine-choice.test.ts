/** Where no engine is named: the plainest whose step takes at most a quarter longer than that of the fastest. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { ClusterSpec, EngineName, StageStep } from "../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../compiler/plan.ts";
import { cluster, device, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";

const names = ["torch", "deepspeed", "megatron"] as const;

const models = {
  small: modelRequest("llama", { layers: 16, d_model: 2048, kv_heads: 8, context: 4096 }),
  middling: modelRequest("llama", { layers: 32, d_model: 4096, d_ff: 14336, kv_heads: 8, context: 8192 }),
  large: modelRequest("llama", { layers: 80, d_model: 8192, d_ff: 28672, kv_heads: 8, context: 8192 }),
  other: modelRequest("rwkv7", { layers: 24, d_model: 2048, context: 4096 }),
};

function planned(step: StageStep, on: ClusterSpec): { one: StagePlan | undefined; errors: readonly string[] } {
  const { plan: made, diagnostics } = plan(pipeline(step, on));
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  return { one: made.stages[0], errors };
}

const drawn = fc.record({
  model: fc.constantFrom(...(Object.keys(models) as (keyof typeof models)[])),
  gpu: fc.constantFrom("h100_sxm", "a100_40gb", "l40s"),
  nodes: fc.constantFrom(1, 2, 3, 16),
  batch: fc.constantFrom(48, 64, 500, 512),
  pins: fc.constantFrom({}, { zero_stage: 1 }, { recompute: "full" }, { micro_batch: 1 }, { data_parallel: 8 }),
});

describe("the engine of a stage that names none", () => {
  it("is the plainest within a quarter of the fastest, and naming it gives the same plan", () => {
    fc.assert(
      fc.property(drawn, ({ model, gpu, nodes, batch, pins }) => {
        const on = cluster({ device: device(gpu), nodes, gpusPerNode: 8, ram: 2 ** 41 });
        const layout = { given: settings(pins), bounds: new Map() };
        const of = (engine: EngineName | null) => {
          const samples = given({ unit: "samples", value: batch } as const);
          const as = engine === null ? null : given(engine);
          return planned(stage(models[model], { sequence: given(4096), batch: samples, layout, engine: as }), on);
        };
        const each = names.flatMap((name) => {
          const { one, errors } = of(name);
          return one === undefined || errors.length > 0 ? [] : [one];
        });
        const { one: open, errors } = of(null);
        if (each.length === 0) {
          expect(errors).not.toEqual([]);
          return;
        }
        const fits = each.filter(({ memory }) => memory.peak <= memory.usable / (1 + (memory.error ?? 0)));
        fc.pre(fits.length > 0);
        const least = Math.min(...fits.map(({ time }) => time.step));
        const wanted = fits.find(({ time }) => time.step <= 1.25 * least);
        expect(open?.engine).toBe(wanted?.engine);
        expect(open?.layout).toEqual(wanted?.layout);
        expect(open?.time.step).toBe(wanted?.time.step);
      }),
      { numRuns: 40, seed: 11 },
    );
  });

  it("has the figures of those that were raced as its reason", () => {
    const on = cluster({ nodes: 16, gpusPerNode: 8, ram: 2 ** 41 });
    const batch = given({ unit: "samples", value: 512 } as const);
    const { one } = planned(stage(models.large, { sequence: given(8192), batch }), on);
    expect(one?.engine).toBe("megatron");
    expect(one?.origins["engine"]).toMatchObject({
      reason: expect.stringMatching(
        /^the simplest engine whose best layout is at most a quarter slower than the best of all: torch does not fit, deepspeed [\d.]+ s a step, megatron [\d.]+ s a step/,
      ) as unknown,
    });
  });

  describe("where time is short", () => {
    const on = cluster({ nodes: 16, gpusPerNode: 8, ram: 2 ** 41, price: 2 });
    const batch = given({ unit: "samples", value: 512 } as const);
    const asked = (more: Partial<StageStep>, where = on) =>
      planned(stage(models.middling, { sequence: given(4096), batch, ...more }), where).one;
    const limits = (name: "time" | "cost", max: number) => ({
      limits: {
        given: settings({}),
        bounds: new Map([[name, { min: null, max, oneOf: null, spans: [] }]]),
      },
    });

    it("is the plainest that keeps the stage's bounds, or else the fastest", () => {
      const plain = asked({});
      const fast = asked({ engine: given("megatron") });
      // Which of the two plain ones is decided by constants that a fit moves.
      expect(["torch", "deepspeed"]).toContain(plain?.engine);
      expect(fast?.engine).toBe("megatron");
      const [slow, short] = [plain?.total.hours ?? 0, fast?.total.hours ?? 0];
      expect(short).toBeLessThan(0.97 * slow);
      expect(asked(limits("time", 3600 * (slow + 0.01)))?.engine).toBe(plain?.engine);
      expect(asked(limits("time", 3600 * (slow - 0.01)))?.engine).toBe("megatron");
      expect(asked(limits("time", 1))?.engine).toBe("megatron");
      expect(asked(limits("cost", (plain?.total.cost ?? 0) - 0.1))?.engine).toBe("megatron");
    });

    it("is the fastest where the number of nodes is chosen for the least time or the fewest device-hours", () => {
      const open = { nodes: [16], prefer: "fastest" } as const;
      expect(asked({}, { ...on, open })?.engine).toBe("megatron");
      expect(asked({}, { ...on, open: { ...open, prefer: "cheapest" } })?.engine).toBe("megatron");
      expect(asked({}, { ...on, open: { ...open, prefer: "fewest" } })?.engine).toBe(asked({})?.engine);
    });
  });

  it("is one whose products are as narrow as the stage asks", () => {
    const step = stage(models.middling, { sequence: given(4096), precision: given("fp8") });
    expect(planned(step, cluster({ gpusPerNode: 8 }))).toMatchObject({ one: { engine: "megatron" }, errors: [] });
  });

  it("writes checkpoints that the steps beside it read", () => {
    const on = cluster({ nodes: 16, gpusPerNode: 8, ram: 2 ** 41 });
    const batch = given({ unit: "samples", value: 512 } as const);
    const step = stage(models.large, { sequence: given(8192), batch, linked: true });
    expect(planned(step, on).one?.engine).not.toBe("megatron");
  });
});
