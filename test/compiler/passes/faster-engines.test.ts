import { describe, expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { StageStep } from "../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../compiler/plan.ts";
import { cluster, device, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";

const large = modelRequest("llama", { layers: 80, d_model: 8192, d_ff: 28672, kv_heads: 8, context: 8192 });

function planned(rest: Partial<StageStep> = {}, model = large): StagePlan {
  const batch = given({ unit: "samples", value: 512 } as const);
  const step = stage(model, { sequence: given(8192), batch, ...rest });
  const [only] = plan(pipeline(step, cluster({ nodes: 8, gpusPerNode: 8, ram: 2 ** 41 }))).plan.stages;
  if (only === undefined) throw new Error("no plan");
  return only;
}

const foreign = ({ alternatives }: StagePlan) => alternatives.filter(({ engine }) => engine !== undefined);

describe("where no engine is named, one that would be faster on the same devices", () => {
  it("is said first, with the time that it takes when it is named", () => {
    const open = planned();
    const [other] = foreign(open);
    expect(open.engine).toBe("deepspeed");
    expect(open.alternatives[0]).toBe(other);
    expect(other?.engine).toBe("megatron");
    const named = planned({ engine: given("megatron") });
    expect(other?.time.step).toBe(named.time.step);
    expect(other?.layout).toEqual(named.layout);
    const less = Math.round(100 * (1 - named.time.step / open.time.step));
    expect(other?.why_not).toContain(`\`engine = megatron\` would take ${less} % less time and cost`);
  });

  it("is not said of an engine that was named, nor of one that has nothing for the layout or the model", () => {
    expect(foreign(planned({ engine: given("deepspeed") }))).toEqual([]);
    const pinned = { given: settings({ zero_stage: 3 }), bounds: new Map() };
    expect(foreign(planned({ layout: pinned }))).toEqual([]);
    expect(foreign(planned({ raw: { zero_optimization: { stage: 3 } } }))).toEqual([]);
    const other = modelRequest("rwkv7", { layers: 24, d_model: 2048, context: 8192 });
    expect(foreign(planned({}, other)).map(({ engine }) => engine)).not.toContain("megatron");
  });

  it("is the engine that was taken, where it does more when it is named", () => {
    const wide = modelRequest("gpt2", { layers: 48, d_model: 1600, heads: 25, context: 1024 });
    const on = cluster({ device: device("a100_40gb"), ram: 2 ** 40 });
    const rest = { sequence: given(1024), batch: given({ unit: "samples", value: 512 } as const) };
    const [open, named] = [null, given("torch" as const)].map((engine) => {
      const [only] = plan(pipeline(stage(wide, { ...rest, engine }), on)).plan.stages;
      if (only === undefined) throw new Error("no plan");
      return only;
    });
    if (open === undefined || named === undefined) throw new Error("no plan");
    expect(open.engine).toBe("torch");
    const other = foreign(open).find(({ engine }) => engine === "torch");
    expect(other?.layout).toEqual(named.layout);
    expect(other?.time.step).toBe(named.time.step);
    const steps = foreign(open).map(({ time }) => time.step);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
  });

  it("shards over groups of ranks where torch does when it is named", () => {
    const batch = given({ unit: "samples", value: 1024 } as const);
    const [open, named] = [null, given("torch" as const)].map((engine) => {
      const on = cluster({ nodes: 128, gpusPerNode: 8, ram: 2 ** 41 });
      const [only] = plan(pipeline(stage(large, { sequence: given(4096), batch, engine }), on)).plan.stages;
      if (only === undefined) throw new Error("no plan");
      return only;
    });
    const other = open && foreign(open).find(({ engine }) => engine === "torch");
    expect(named?.layout).toMatchObject({ zero_stage: 3, shard_over: 64 });
    expect(other?.layout).toEqual(named?.layout);
  });
});
