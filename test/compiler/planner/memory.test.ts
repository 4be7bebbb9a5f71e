import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { engines } from "../../../compiler/engines/index.ts";
import { families } from "../../../compiler/models/index.ts";
import { size } from "../../../compiler/passes/size.ts";
import { memoryOf } from "../../../compiler/planner/memory.ts";
import { layoutOf } from "../../../compiler/planner/adapter/spread.ts";
import { groundOf } from "../../../compiler/planner/adapter/ground.ts";
import { stateBytes } from "../../../compiler/planner/physics/states.ts";
import { spaceOf } from "../../../compiler/planner/search/space.ts";
import { replicasOf, unsplit, type Choice, type Setting } from "../../../compiler/planner/setting.ts";
import { cluster, device, modelRequest } from "../../support/pipeline.ts";
import { choicesOf } from "./search/spaces.ts";

const settings: fc.Arbitrary<Setting> = fc
  .record({
    family: fc.constantFrom("gpt2", "gpt_neox", "llama"),
    layers: fc.integer({ min: 1, max: 48 }),
    heads: fc.constantFrom(2, 4, 8, 16, 32),
    engine: fc.constantFrom("torch", "deepspeed"),
    precision: fc.constantFrom("fp32", "bf16", "fp16"),
    nodes: fc.constantFrom(1, 2, 4),
    gpusPerNode: fc.constantFrom(1, 2, 8),
    sequence: fc.constantFrom(128, 1024, 4096),
    perRank: fc.integer({ min: 1, max: 48 }),
  } as const)
  .map((drawn) => {
    const { model } = size(
      modelRequest(drawn.family, {
        layers: drawn.layers,
        heads: drawn.heads,
        d_model: 64 * drawn.heads,
        context: 4096,
      }),
    );
    if (model === null) throw new Error("the shape does not build");
    const { nodes, gpusPerNode } = drawn;
    return {
      family: families[drawn.family],
      model,
      cluster: cluster({ nodes, gpusPerNode }),
      engine: engines[drawn.engine],
      precision: drawn.precision,
      attention: "sdpa",
      compile: false,
      tf32: true,
      sequence: drawn.sequence,
      globalBatch: drawn.perRank * nodes * gpusPerNode,
    } satisfies Setting;
  });

const open = { given: new Map(), bounds: new Map() };

function withChoice(check: (setting: Setting, choice: Choice) => void): void {
  fc.assert(
    fc.property(settings, fc.nat(), (setting, pick) => {
      const all = choicesOf(spaceOf(setting, open));
      const choice = all[pick % all.length];
      if (choice !== undefined) check(setting, choice);
    }),
    { numRuns: 300, seed: 1 },
  );
}

describe("memory of a rank", () => {
  it("is the sum of its parts", () => {
    withChoice((setting, choice) => {
      const { peak, parts } = memoryOf(setting, choice);
      expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(peak);
      for (const part of Object.values(parts)) expect(part).toBeGreaterThanOrEqual(0);
    });
  });

  it("does not shrink with the micro-batch", () => {
    withChoice((setting, choice) => {
      const larger = { ...choice, micro_batch: 2 * choice.micro_batch };
      expect(memoryOf(setting, larger).peak).toBeGreaterThanOrEqual(memoryOf(setting, choice).peak);
    });
  });

  it("does not grow with recomputation", () => {
    withChoice((setting, choice) => {
      const none = memoryOf(setting, { ...choice, recompute: "none" }).peak;
      expect(memoryOf(setting, { ...choice, recompute: "full" }).peak).toBeLessThanOrEqual(none * 1.001);
    });
  });

  it("of weights, gradients and optimizer shrinks with each ZeRO stage", () => {
    withChoice((setting, choice) => {
      const sharers = replicasOf(setting.cluster, choice) * choice.context_parallel;
      if (setting.engine.name !== "deepspeed" || sharers === 1) return;
      const held = ([1, 2, 3] as const).map((zero_stage) => {
        const sharded = { ...choice, offload: "none", zero_stage } as const;
        const held = { dense: setting.model.parameters.total, expert: 0 };
        const { engine } = groundOf(setting).describe(sharded);
        const { weights, gradients, optimizer } = stateBytes(held, layoutOf(setting, sharded), engine);
        return weights + gradients + optimizer;
      });
      expect(held).toEqual([...held].sort((a, b) => b - a));
      expect(new Set(held).size).toBe(3);
    });
  });

  it("moves to the host with offload", () => {
    withChoice((setting, choice) => {
      if (choice.offload === "none") return;
      const kept = memoryOf(setting, { ...choice, offload: "none" });
      const moved = memoryOf(setting, choice);
      expect(moved.peak).toBeLessThanOrEqual(kept.peak);
      expect(moved.host_peak).toBeGreaterThanOrEqual(kept.host_peak);
      // Nobody ever built all of it there.
      if (choice.zero_stage === 3) expect(moved.host_peak).toBeGreaterThan(kept.host_peak);
    });
  });

  it("of a host holds the model of every process that builds it, but where it is born in parts", () => {
    withChoice((setting, choice) => {
      const { gpusPerNode } = setting.cluster;
      if (gpusPerNode === 1) return;
      const built = gpusPerNode * (3 * 2 ** 30 + 4 * setting.model.parameters.total);
      const { host_peak } = memoryOf(setting, { ...choice, offload: "none" });
      expect(host_peak >= built).toBe(setting.engine.name === "torch" || choice.zero_stage < 3);
    });
  });

  it("of a CPU rank holds what the quickstart was seen to take, within its error", () => {
    const { model } = size(modelRequest("llama", { layers: 8, d_model: 512, vocab: 257, context: 256 }));
    if (model === null) throw new Error("does not build");
    const setting: Setting = {
      family: families.llama,
      model,
      cluster: cluster({ device: device("cpu"), gpusPerNode: 1, cores: 2, ram: 24 * 2 ** 30 }),
      engine: engines.torch,
      precision: "fp32",
      attention: "sdpa",
      compile: false,
      tf32: true,
      sequence: 256,
      globalBatch: 8,
    };
    const choice = {
      ...unsplit,
      micro_batch: 8,
      accumulation: 1,
      zero_stage: 0,
      recompute: "none",
      offload: "none",
    } as const;
    const { peak, error } = memoryOf(setting, choice);
    const measured = 2168 * 2 ** 20;
    expect(Math.abs(peak / measured - 1)).toBeLessThan(error ?? 0);
  });
});
