import { describe, expect, it } from "vitest";
import { engines } from "../../../compiler/engines/index.ts";
import { families } from "../../../compiler/models/index.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { ClusterSpec, FamilyName } from "../../../compiler/pipeline.ts";
import type { SizedModel } from "../../../compiler/plan.ts";
import { groundOf } from "../../../compiler/planner/adapter/ground.ts";
import { machineOf } from "../../../compiler/planner/adapter/machine.ts";
import { memoryOf } from "../../../compiler/planner/memory.ts";
import { blockParameters, endParameters } from "../../../compiler/planner/physics/parameters.ts";
import { unsplit, type Choice, type Setting } from "../../../compiler/planner/setting.ts";
import { timeOf } from "../../../compiler/planner/time.ts";
import { cluster, device, given, modelRequest } from "../../support/pipeline.ts";
import { plain as layout } from "./physics/cases.ts";

const plain: Choice = {
  ...unsplit,
  micro_batch: 1,
  accumulation: 2,
  zero_stage: 0,
  recompute: "none",
  offload: "none",
};

function sized(name: FamilyName): SizedModel {
  const { model, diagnostics } = size(modelRequest(name, { layers: 8, d_model: 1024, context: 1024 }));
  if (model === null) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  return model;
}

function settingOf(name: FamilyName, rest: Partial<Setting> = {}): Setting {
  return {
    family: families[name],
    model: sized(name),
    cluster: cluster({ gpusPerNode: 8 }),
    engine: engines.deepspeed,
    precision: "bf16",
    attention: "sdpa",
    compile: false,
    tf32: true,
    sequence: 1024,
    globalBatch: 16,
    ...rest,
  };
}

describe.each(Object.keys(families) as FamilyName[])("a model of family %s", (name) => {
  const setting = settingOf(name);

  it("has as many parameters in the physics as it has", () => {
    const { shape } = groundOf(setting);
    const ends = endParameters(shape, layout, shape.vocab);
    const inside = shape.blocks.map((block) => blockParameters(shape, block, layout));
    const all = inside.reduce((sum, { dense, expert }) => sum + dense + expert, ends.first + ends.last);
    expect(Math.abs(all / setting.model.parameters.total - 1)).toBeLessThan(0.001);
  });

  it("takes time and memory that grow with the micro-batch", () => {
    const peaks = [1, 2, 64].map((micro_batch) => memoryOf(setting, { ...plain, micro_batch, zero_stage: 3 }).peak);
    expect(peaks).toEqual([...peaks].sort((a, b) => a - b));
    expect(peaks[2]).toBeGreaterThan(peaks[0] ?? 0);
    const longer = timeOf({ ...setting, globalBatch: 32 }, { ...plain, accumulation: 4 });
    expect(longer.step).toBeGreaterThan(timeOf(setting, plain).step);
    expect(Number.isFinite(longer.step)).toBe(true);
  });

  it("spends time on its layers whatever they are made of", () => {
    const { parts } = timeOf(setting, plain);
    for (const seconds of Object.values(parts)) expect(seconds).toBeGreaterThanOrEqual(0);
    const compute = 3 * 1024 * 2 * setting.model.parameters.active;
    expect(parts["compute"]).toBeGreaterThan(compute / 8 / 989e12);
  });
});

describe("the interval of an estimate", () => {
  const errors = (spec: Partial<ClusterSpec>, engine: Setting["engine"]): { time: number; memory: number } => {
    const setting = settingOf("llama", { cluster: cluster(spec), engine });
    return { time: timeOf(setting, plain).error ?? 0, memory: memoryOf(setting, plain).error ?? 0 };
  };
  const unheard: ClusterSpec["device"] = {
    ...device("h100_sxm"),
    name: "wonder",
    memory: 64e9,
    bandwidth: 2.5e12,
  };

  it("is narrower where the engine was measured on the machine", () => {
    const known = errors({}, engines.megatron);
    const unknown = errors({ device: unheard }, engines.megatron);
    expect(known.time).toBeGreaterThan(0);
    expect(known.time).toBeLessThan(unknown.time);
    expect(known.memory).toBeLessThanOrEqual(unknown.memory);
  });

  it("is wider for an engine that only its kin speaks for", () => {
    expect(errors({}, engines.deepspeed).time).toBeGreaterThan(errors({}, engines.megatron).time);
  });

  it("does not take a card of another peak for the one that was measured", () => {
    const pcie = settingOf("llama", { cluster: cluster({ device: device("h100_pcie") }) });
    expect(groundOf(pcie).machine.gpu).toBe("h100_pcie");
    expect(groundOf(settingOf("llama")).machine.gpu).toBe("H100");
  });

  it("plans a measured card under another name as that card, and one of other memory as none", () => {
    const on = (changed: object): Setting =>
      settingOf("llama", {
        engine: engines.megatron,
        cluster: cluster({ device: { ...device("h100_sxm"), name: "ours", ...changed }, gpusPerNode: 8 }),
      });
    const step = (setting: Setting): number => timeOf(setting, plain).step;
    const listed = settingOf("llama", { engine: engines.megatron, cluster: cluster({ gpusPerNode: 8 }) });
    expect(step(on({}))).toBe(step(listed));
    expect(groundOf(on({})).machine).toEqual(groundOf(listed).machine);
    const { flops } = device("h100_sxm");
    expect(step(on({ flops: { ...flops, bf16: 1e15, fp16: 1e15 } }))).toBeLessThanOrEqual(step(listed));
    expect(groundOf(on({ memory: 60e9, bandwidth: 2.6e12 })).machine.gpu).toBe("ours");
  });

  it("takes a measured card's shares for the same card clocked higher, as those of a card that nobody measured", () => {
    const of = (name: string, clock: number): Setting => {
      const card = device(name);
      const flops = { ...card.flops, bf16: clock * card.flops.bf16, fp16: clock * card.flops.fp16 };
      return settingOf("llama", {
        engine: engines.megatron,
        cluster: cluster({ device: { ...card, flops }, gpusPerNode: 8 }),
      });
    };
    const step = (clock: number): number => timeOf(of("a100_80gb", clock), { ...plain, micro_batch: 8 }).step;
    expect(step(1.3)).toBeLessThanOrEqual(step(1));
    const interval = (clock: number): number => groundOf(of("h100_sxm", clock)).constants.time_interval;
    expect(interval(1.3)).toBeGreaterThan(interval(1));
  });
});

describe("what a plan adds to the physics", () => {
  it("moves optimizer states to the host and pays for it", () => {
    const setting = settingOf("llama");
    const sharded: Choice = { ...plain, zero_stage: 3 };
    const offloaded: Choice = { ...sharded, offload: "optimizer" };
    expect(memoryOf(setting, offloaded).parts.optimizer).toBe(0);
    expect(memoryOf(setting, offloaded).host_peak).toBeGreaterThan(memoryOf(setting, sharded).host_peak);
    expect(timeOf(setting, offloaded).parts["offload"]).toBeGreaterThan(0);
  });

  it("keeps two widths of each logit where the loss is compiled, twelve bytes where not", () => {
    const logits = (rest: Partial<Setting>): number => {
      return memoryOf(settingOf("llama", rest), { ...plain, micro_batch: 16, recompute: "full" }).parts.logits;
    };
    expect(logits({})).toBeGreaterThan(0);
    expect(logits({ compile: true }) / logits({})).toBeCloseTo(4 / 12);
    expect(logits({ compile: true, precision: "fp32" }) / logits({})).toBeCloseTo(8 / 12);
    expect(logits({ engine: engines.megatron })).toBe(logits({ engine: engines.megatron, compile: true }));
  });

  it.each([
    ["megatron", 64, "sdpa", "bf16", false],
    ["megatron", 100, "sdpa", "bf16", true],
    ["megatron", 264, "flash_attention_2", "bf16", true],
    ["megatron", 64, "sdpa", "fp32", true],
    ["torch", 100, "sdpa", "bf16", false],
    ["deepspeed", 264, "sdpa", "bf16", false],
    ["deepspeed", 302, "sdpa", "bf16", true],
    ["torch", 30, "sdpa", "fp32", true],
    ["torch", 32, "eager", "bf16", true],
  ] as const)(
    "%s writes the scores of heads of %i with %s in %s: %s",
    (name, head_dim, attention, precision, writes) => {
      const model = { ...sized("llama"), head_dim };
      const setting = settingOf("llama", { engine: engines[name], model, attention, precision });
      const { engine } = groundOf(setting).describe(plain);
      expect(engine.materialised).toBe(writes);
    },
  );

  it.each([
    ["torch", "gemma2", "sdpa", true],
    ["torch", "gemma2", "flash_attention_2", false],
    ["deepspeed", "gpt_oss", "sdpa", true],
    ["torch", "mpt", "sdpa", true],
    ["torch", "mamba2", "sdpa", false],
    ["torch", "gemma3", "sdpa", false],
  ] as const)(
    "%s writes the scores of %s with %s, whose class may have no other way: %s",
    (name, family, attention, writes) => {
      const setting = settingOf(family, { engine: engines[name], attention });
      expect(groundOf(setting).describe(plain).engine.materialised).toBe(writes);
    },
  );

  it("counts those scores in memory and in time", () => {
    const [written, fused] = (["sdpa", "flash_attention_2"] as const).map((attention) =>
      settingOf("gemma2", { engine: engines.torch, attention }),
    );
    if (written === undefined || fused === undefined) throw new Error("two settings");
    const choice: Choice = { ...plain, micro_batch: 8 };
    expect(memoryOf(written, choice).peak).toBeGreaterThan(memoryOf(fused, choice).peak);
    expect(timeOf(written, choice).step).toBeGreaterThan(timeOf(fused, choice).step);
  });

  it("keeps a mean of the weights in 32 bits where the optimizer's states lie, and in the checkpoint", () => {
    const bytes = (rest: Partial<Setting>, choice: Choice = plain): readonly number[] => {
      const { parts, checkpoint } = memoryOf(settingOf("llama", rest), choice);
      return [parts.optimizer, checkpoint];
    };
    const { total } = sized("llama").parameters;
    const mean = { averaged: true } as const;
    const sharded: Choice = { ...plain, zero_stage: 1 };
    const more = (choice: Choice): readonly number[] => {
      const without = bytes({}, choice);
      return bytes(mean, choice).map((one, i) => (one - (without[i] ?? 0)) / total);
    };
    expect(more(plain)[0]).toBeCloseTo(4, 1);
    expect(more(sharded)[0]).toBeCloseTo(4 / 8, 1);
    expect(more(plain)[1]).toBeCloseTo(4, 2);
    const step = (rest: Partial<Setting>): number => timeOf(settingOf("llama", rest), plain).parts["optimizer"] ?? 0;
    expect(step(mean)).toBeGreaterThan(step({}));
  });

  it("takes longer for fp32 products that are exact, and repeats nothing for it", () => {
    const compute = (rest: Partial<Setting>): number =>
      timeOf(settingOf("llama", { precision: "fp32", ...rest }), plain).parts["compute"] ?? 0;
    expect(compute({ tf32: false })).toBeGreaterThan(1.5 * compute({}));
    const ampere = cluster({ device: device("a100_80gb") });
    const workspaces = (rest: Partial<Setting>): number | undefined =>
      groundOf(settingOf("llama", { engine: engines.megatron, cluster: ampere, ...rest })).describe(plain).engine
        .workspaces;
    expect(workspaces({ tf32: false })).toBe(workspaces({}));
    expect(workspaces({ deterministic: true })).toBeGreaterThan(workspaces({}) ?? 0);
  });

  it("shares no sequence where nothing but Megatron's unfused attention is left", () => {
    const model = { ...sized("llama"), head_dim: 100 };
    const { unshared } = engines.megatron;
    expect(unshared?.(settingOf("llama", { engine: engines.megatron, model }), 2)).toHaveLength(1);
    expect(unshared?.(settingOf("llama", { engine: engines.megatron }), 2)).toEqual([]);
    expect(unshared?.(settingOf("mamba2", { engine: engines.megatron, precision: "fp32" }), 2)).toEqual([]);
  });

  it("knows how uneven Megatron's routers are, and its words for it", () => {
    const routing = (name: FamilyName, raw?: Setting["raw"]) =>
      groundOf(settingOf(name, { engine: engines.megatron, ...(raw === undefined ? {} : { raw }) })).describe(plain)
        .engine.routing;
    expect(routing("llama")).toBeUndefined();
    expect(routing("qwen3_moe")).toEqual({ excess: 0.62, padded: false });
    expect(routing("deepseek_v3")?.excess).toBe(0.04);
    const padded = { moe_expert_capacity_factor: 1.25, "moe-pad-expert-input-to-capacity": true };
    expect(routing("qwen3_moe", padded)).toEqual({ excess: 0.62, capacity: 1.25, padded: true });
    expect(routing("qwen3_moe", { moe_router_force_load_balancing: true })?.excess).toBe(0);
  });

  it("gathers weights that are kept in 8 bits so, but for those whose blocks are made of 16", () => {
    const gathered = (recipe: string, weights: boolean): number | undefined => {
      const narrow = { recipe: given(recipe), weights };
      return groundOf(settingOf("llama", { engine: engines.megatron, precision: "fp8", narrow })).describe(plain)
        .engine.gathered;
    };
    expect(gathered("tensorwise", true)).toBe(1);
    expect(gathered("blockwise", true)).toBe(1 + 4 / 128);
    expect(gathered("mxfp8", true)).toBeUndefined();
    expect(gathered("tensorwise", false)).toBeUndefined();
  });

  it("shows what of a ring of sequence parts attention does not hide", () => {
    const setting = settingOf("llama", { engine: engines.megatron });
    const ring: Choice = { ...plain, context_parallel: 4, accumulation: 8 };
    expect(timeOf(setting, ring).parts["context_comm"]).toBeGreaterThan(0);
    expect(timeOf(setting, plain).parts["context_comm"]).toBeUndefined();
  });

  it("says each stage of a pipeline", () => {
    const setting = settingOf("llama", { engine: engines.megatron });
    const piped: Choice = { ...plain, pipeline_parallel: 4, accumulation: 8 };
    const { ranks, peak, parts } = memoryOf(setting, piped);
    expect(ranks.map(({ pipeline_stage }) => pipeline_stage)).toEqual([0, 1, 2, 3]);
    expect(Math.max(...ranks.map((rank) => rank.peak))).toBe(peak);
    expect(Object.values(parts).reduce((a, b) => a + b, 0)).toBe(peak);
  });
});

it("trays of a rack are one fast domain where what joins them is as fast as what joins their GPUs", () => {
  const tray = { device: device("gb200"), gpusPerNode: 4, link: 900e9 };
  const domain = (network: number): number => machineOf(cluster({ ...tray, network }), false).domain;
  expect(domain(4 * 900e9)).toBe(72);
  expect(domain(200e9)).toBe(4);
});
