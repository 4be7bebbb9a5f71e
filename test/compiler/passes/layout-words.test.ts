/** What `layout` says of recomputation, offloading and schedules beside their kinds: sized, lowered, or refused by name. */
import { describe, expect, it } from "vitest";
import type { Details } from "../../../compiler/planner/details.ts";
import { lower } from "../../../compiler/engines/megatron/lower/lower.ts";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { Scalar, StageStep } from "../../../compiler/pipeline.ts";
import { cluster, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";

const model = modelRequest("llama", { layers: 32, d_model: 4096, vocab: 32_000, context: 4096 });
const split = { tensor_parallel: 2, context_parallel: 1, sequence_parallel: true, micro_batch: 4, zero_stage: 1 };
const piped = { ...split, pipeline_parallel: 2, virtual_pipeline: 1 };
const host = cluster({ nodes: 2, ram: 2e12 });

function made(pins: Readonly<Record<string, Scalar>>, details?: Details, engine: "megatron" | "torch" = "megatron") {
  const one: StageStep = stage(model, {
    engine: given(engine),
    sequence: given(4096),
    layout: { given: settings(pins), bounds: new Map() },
    ...(details === undefined ? {} : { details }),
  });
  const { plan: all, diagnostics } = plan(pipeline(one, host));
  return { step: one, planned: all.stages[0] ?? null, told: diagnostics };
}

function planned(pins: Readonly<Record<string, Scalar>>, details?: Details) {
  const { planned: one, step, told } = made(pins, details);
  if (one === null) throw new Error(told.map(({ message }) => message).join("; "));
  const words = lower(step, one, host)
    .map(({ text }) => text)
    .join("\n");
  return { ...one, words, told };
}

describe("hardware FLOPs of a token", () => {
  const of = (details?: Details) => {
    const { model: counted, hardware } = planned({ ...piped, recompute: "selective" }, details).model.flops_per_token;
    return hardware - counted;
  };
  const core = 2 * 4096 * 4096 * 32;
  const mlp = 2 * 3 * 4096 * 11008 * 32;

  it("have the modules that run again, and no others", () => {
    expect(of()).toBe(core);
    expect(of({ modules: ["core_attn"] })).toBe(core);
    expect(of({ modules: ["mlp"] })).toBe(mlp);
    expect(of({ modules: ["core_attn", "mlp"] })).toBe(core + mlp);
    expect(of({ modules: ["layernorm"] })).toBe(0);
  });
});

describe("recompute = full(…)", () => {
  const none = planned({ ...piped, recompute: "none" });
  const full = planned({ ...piped, recompute: "full" });

  it("of a block lies between none and all of the layers, by the number of layers of a stage", () => {
    const blocks = [4, 8, 16].map((block) => planned({ ...piped, recompute: "full" }, { block }));
    const peaks = [none, ...blocks].map(({ memory }) => memory.peak);
    expect(peaks).toEqual([...peaks].sort((a, b) => b - a));
    expect(new Set(peaks).size).toBe(4);
    expect(blocks[2]?.memory.peak).toBe(full.memory.peak);
    expect((blocks[1]?.time.step ?? 0) - none.time.step).toBeCloseTo((full.time.step - none.time.step) / 2, 2);
    const { model: counted, hardware } = full.model.flops_per_token;
    expect(blocks[1]?.model.flops_per_token.hardware).toBeCloseTo(counted + (hardware - counted) / 2, 0);
  });

  it("is what Megatron is told, and the plan says it", () => {
    const block = planned({ ...piped, recompute: "full" }, { block: 4 });
    expect(block.layout).toMatchObject({ recompute: "full", recompute_block: 4 });
    expect(block.words).toMatch(/--recompute-method block/);
    expect(block.words).toMatch(/--recompute-num-layers 4/);
    const uniform = planned({ ...piped, recompute: "full" }, { uniform: 2 });
    expect(uniform.words).toMatch(/--recompute-method uniform/);
    expect(uniform.words).toMatch(/--recompute-num-layers 2/);
    expect(uniform.memory.peak).not.toBe(full.memory.peak);
  });
});

describe("recompute = selective(…)", () => {
  it("frees the modules that it names, and runs them again", () => {
    const none = planned({ ...piped, recompute: "none" });
    const mlp = planned({ ...piped, recompute: "selective" }, { modules: ["mlp"] });
    const more = planned({ ...piped, recompute: "selective" }, { modules: ["layernorm", "mlp"] });
    expect(mlp.memory.peak).toBeLessThan(none.memory.peak);
    expect(more.memory.peak).toBe(mlp.memory.peak);
    expect(mlp.time.step).toBeGreaterThan(none.time.step);
    expect(more.words).toMatch(/--recompute-modules layernorm mlp/);
    expect(more.layout.recompute_modules).toEqual(["layernorm", "mlp"]);
  });

  it("of an engine that runs whole layers again is refused, with the one that has it", () => {
    const { planned: none, told } = made({ recompute: "full" }, { block: 4 }, "torch");
    expect(none).toBeNull();
    expect(told.map(({ message }) => message)).toEqual([
      "engine torch does not support recompute = full(block = 4); engine megatron does",
    ]);
  });
});

describe("offload of Megatron", () => {
  const whole = { ...split, pipeline_parallel: 1, virtual_pipeline: 1, recompute: "none" };
  const kept = planned(whole);

  it("is not taken where nobody asks for it", () => {
    expect(kept.layout.offload).toBe("none");
  });

  it("of activations leaves on the device what the other layers keep, and fills the host", () => {
    const some = [8, 16, 31].map((offloaded) => planned({ ...whole, offload: "activations" }, { offloaded }));
    const sizes = [kept, ...some].map(({ memory }) => memory.parts.activations);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(new Set(sizes).size).toBe(4);
    const hosts = [kept, ...some].map(({ memory }) => memory.host_peak);
    expect(hosts).toEqual([...hosts].sort((a, b) => a - b));
    expect(some[0]?.words).toMatch(/--cpu-offloading-num-layers 8/);
    expect(planned({ ...whole, offload: "activations" }).layout.offload_layers).toBe(31);
  });

  it("of activations takes one stage of a pipeline", () => {
    const { planned: none, told } = made({ ...piped, recompute: "none", offload: "activations" });
    expect(none).toBeNull();
    expect(told.map(({ message }) => message).join()).toMatch(/offload = activations needs pipeline_parallel 1/);
  });

  it("of the optimizer leaves nothing of it on the device", () => {
    const moved = planned({ ...whole, offload: "optimizer" });
    expect(moved.memory.parts.optimizer).toBe(0);
    expect(moved.memory.host_peak).toBeGreaterThan(kept.memory.host_peak);
    expect(moved.time.step).toBeGreaterThan(kept.time.step);
    expect(moved.words).toMatch(/--optimizer-cpu-offload/);
    expect(moved.words).toMatch(/--use-precision-aware-optimizer/);
    expect(moved.told.filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

describe("layers that a model has not", () => {
  it.each([
    [{ recompute: "full" }, { block: 33 }, "recompute = full(block = 33): the model has 32 layers"],
    [{ recompute: "full" }, { uniform: 64 }, "recompute = full(uniform = 64): the model has 32 layers"],
    [
      { offload: "activations", pipeline_parallel: 1 },
      { offloaded: 32 },
      "offload = activations(layers = 32): the model has 32 layers, of which one stays on the device",
    ],
  ] as const)("%j %j is refused", (pins, details, message) => {
    const { planned: none, told } = made(pins, details);
    expect(none).toBeNull();
    expect(told.map((each) => each.message)).toEqual([message]);
  });
});

it("what engines do one by one and none does together is said of both words", () => {
  const layout = { given: settings({ zero_stage: 3, recompute: "selective" }), bounds: new Map() };
  const { diagnostics } = plan(pipeline(stage(model, { engine: null, layout }), host));
  expect(diagnostics.map(({ message }) => message)).toEqual([
    "no layout satisfies zero_stage = 3 together with recompute = selective: zero_stage = 3 needs engine torch or deepspeed; recompute = selective needs engine megatron",
  ]);
});
