import { describe, expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { ClusterSpec, StageStep } from "../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../compiler/plan.ts";
import { cluster, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";

const large = modelRequest("llama", { layers: 80, d_model: 8192, d_ff: 28672, kv_heads: 8, context: 8192 });

const middling = modelRequest("llama", { layers: 32, d_model: 4096, d_ff: 14336, kv_heads: 8, context: 8192 });

function planned(
  rest: Partial<StageStep> = {},
  model = large,
  on: Partial<ClusterSpec> = { nodes: 8, gpusPerNode: 8, ram: 2 ** 41 },
): StagePlan {
  const batch = given({ unit: "samples", value: 512 } as const);
  const step = stage(model, { sequence: given(8192), batch, ...rest });
  const [only] = plan(pipeline(step, cluster(on))).plan.stages;
  if (only === undefined) throw new Error("no plan");
  return only;
}

const foreign = ({ alternatives }: StagePlan) => alternatives.filter(({ engine }) => engine !== undefined);

describe("where no engine is named, one that would be faster on the same devices", () => {
  it("is said first, with the time that it takes when it is named", () => {
    const on = { nodes: 1, gpusPerNode: 8, ram: 2 ** 41 };
    const rest = { sequence: given(4096) };
    const open = planned(rest, middling, on);
    const [other] = foreign(open);
    expect(other).toBeDefined();
    expect(open.alternatives[0]).toBe(other);
    const name = other?.engine ?? "torch";
    const named = planned({ ...rest, engine: given(name) }, middling, on);
    expect(other?.time.step).toBe(named.time.step);
    expect(other?.layout).toEqual(named.layout);
    const less = Math.round(100 * (1 - named.time.step / open.time.step));
    expect(other?.why_not).toContain(`\`engine = ${name}\` would take ${less} % less time and cost`);
  });

  it("is not said of an engine that was named, nor of one that has nothing for the layout or the model", () => {
    expect(foreign(planned({ engine: given("deepspeed") }))).toEqual([]);
    const pinned = { given: settings({ zero_stage: 3 }), bounds: new Map() };
    expect(foreign(planned({ layout: pinned }))).toEqual([]);
    expect(foreign(planned({ raw: { zero_optimization: { stage: 3 } } }))).toEqual([]);
    const other = modelRequest("rwkv7", { layers: 24, d_model: 2048, context: 8192 });
    expect(foreign(planned({}, other)).map(({ engine }) => engine)).not.toContain("megatron");
  });
});
