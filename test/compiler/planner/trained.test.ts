/** What is kept of weights that are trained otherwise than whole, by AdamW, in 16 bits. */
import { describe, expect, it } from "vitest";
import { engines } from "../../../compiler/engines/index.ts";
import { families } from "../../../compiler/models/index.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { FamilyName, TuningSpec } from "../../../compiler/pipeline.ts";
import { groundOf } from "../../../compiler/planner/adapter/ground.ts";
import { namesOf } from "../../../compiler/planner/adapter/parts.ts";
import { paddedRows } from "../../../compiler/planner/adapter/padded-rows.ts";
import { memoryOf } from "../../../compiler/planner/memory.ts";
import { unsplit, type Choice, type Setting } from "../../../compiler/planner/setting.ts";
import { timeOf } from "../../../compiler/planner/time.ts";
import { cluster, device, modelRequest, span } from "../../support/pipeline.ts";

const plain: Choice = {
  ...unsplit,
  micro_batch: 1,
  accumulation: 1,
  zero_stage: 0,
  recompute: "none",
  offload: "none",
};

const shape = { layers: 8, d_model: 1024, d_ff: 2816, heads: 8, kv_heads: 2, vocab: 32000, context: 1024 };

function settingOf(rest: Partial<Setting> = {}, name: FamilyName = "llama"): Setting {
  const { model } = size(
    modelRequest(name, name === "llama" ? { ...shape, tied: false } : { layers: 8, d_model: 1024 }),
  );
  if (model === null) throw new Error(`no ${name}`);
  return {
    family: families[name],
    model,
    cluster: cluster({ gpusPerNode: 1 }),
    engine: engines.torch,
    precision: "bf16",
    attention: "sdpa",
    compile: false,
    tf32: true,
    sequence: 512,
    globalBatch: 1,
    ...rest,
  };
}

const lora = (rank: number, targets: readonly string[], quantized = false): TuningSpec => ({
  adapters: { rank, alpha: 2 * rank, dropout: 0, targets, quantized, span },
  freeze: null,
});

const table = 32000 * 1024;
const total = settingOf().model.parameters.total;
const blocks = total - 2 * table - 1024;

describe("moments", () => {
  const optimizer = (name: string, momentum?: number): number =>
    memoryOf(settingOf({ optimizer: { name, ...(momentum === undefined ? {} : { momentum }) } }), plain).parts
      .optimizer;

  it.each([
    ["adamw", undefined, 8 * total],
    ["sgd", 0.9, 4 * total],
    ["sgd", 0, 0],
    ["muon", undefined, 4 * blocks + 8 * (2 * table + 1024)],
    ["adam8bit", undefined, (2 + 8 / 256) * (total - table) + 8 * table],
  ] as const)("%s with momentum %s", (name, momentum, bytes) => {
    expect(optimizer(name, momentum) / optimizer("adamw")).toBeCloseTo(bytes / (8 * total), 5);
  });

  it("of Muon are made orthogonal as often as it says, on processors too", () => {
    const seconds = (steps: number, rest: Partial<Setting>): number => {
      const muon = { nesterov: true, iterations: steps, rates: [] };
      return timeOf(settingOf({ optimizer: { name: "muon", muon }, ...rest }), plain).parts["optimizer"] ?? 0;
    };
    for (const rest of [{}, { cluster: cluster({ device: device("cpu"), gpusPerNode: 1 }) }]) {
      const each = (seconds(10, rest) - seconds(5, rest)) / 5;
      expect(each).toBeGreaterThan(0);
      expect(seconds(6, rest) - seconds(5, rest)).toBeCloseTo(each, 6);
    }
  });

  it("of Adafactor are the sides of matrices", () => {
    expect(optimizer("adafactor")).toBeLessThan(optimizer("adamw") / 200);
    expect(optimizer("adafactor")).toBeGreaterThan(0);
  });

  it("of a plugin are taken for Adam's", () => {
    expect(optimizer("somebodys")).toBe(optimizer("adamw"));
  });

  it.each(["torch", "deepspeed", "megatron"] as const)("leave masters and gradients of %s alone", (engine) => {
    const of = (name: string) =>
      memoryOf(settingOf({ engine: engines[engine], optimizer: { name, momentum: 0.9 } }), plain);
    const [adam, sgd] = [of("adamw"), of("sgd")];
    expect(sgd.parts.gradients).toBe(adam.parts.gradients);
    expect(sgd.parts.weights).toBe(adam.parts.weights);
    const wide = adam.checkpoint / total - 4;
    expect(sgd.parts.optimizer / adam.parts.optimizer).toBeCloseTo(wide === 8 ? 4 / 8 : 8 / 12, 3);
    expect((adam.checkpoint - sgd.checkpoint) / total).toBeCloseTo(4, 5);
  });
});

describe("low-rank adapters", () => {
  const attention = 8 * 16 * (2 * (1024 + 1024) + 2 * (1024 + 256));
  const setting = settingOf({ tuning: lora(16, ["attention"]) });

  it("are what is trained, and what a checkpoint holds", () => {
    expect(groundOf(setting).trained).toBe(attention);
    expect(memoryOf(setting, plain).checkpoint).toBe(12 * attention);
  });

  it("stand beside the matrices that are named", () => {
    const of = (...targets: string[]): number => groundOf(settingOf({ tuning: lora(16, targets) })).trained;
    expect(of("q", "k", "v", "o")).toBe(attention);
    expect(of("mlp")).toBe(8 * 16 * 3 * (1024 + 2816));
    expect(of("gate", "down")).toBe(8 * 16 * 2 * (1024 + 2816));
    expect(of("all")).toBe(of("attention") + of("mlp"));
    expect(of("mamba")).toBe(0);
  });

  it("need no gradients of weights: fewer bytes, and less time", () => {
    const [whole, tuned] = [settingOf(), setting];
    expect(memoryOf(tuned, plain).parts.gradients).toBeLessThan(0.02 * memoryOf(whole, plain).parts.gradients);
    const many = { ...plain, micro_batch: 512 };
    expect(memoryOf(tuned, many).parts.activations).toBeLessThan(memoryOf(whole, many).parts.activations);
    const compute = (one: Setting): number => timeOf(one, many).parts["compute"] ?? 0;
    expect(compute(tuned) / compute(whole)).toBeLessThan(0.9);
    expect(compute(tuned) / compute(whole)).toBeGreaterThan(0.6);
  });

  it("spend two products out of three, on a processor too", () => {
    const desk = cluster({ device: device("cpu"), gpusPerNode: 1 });
    const { flops } = groundOf(settingOf());
    expect(groundOf(setting).flops / flops).toBeGreaterThan(2 / 3);
    expect(groundOf(setting).flops / flops).toBeLessThan(0.75);
    const step = (one: Setting): number =>
      timeOf({ ...one, cluster: desk, precision: "fp32" }, plain).parts["compute"] ?? 0;
    expect(step(setting) / step(settingOf())).toBeGreaterThan(0.6);
    expect(step(setting) / step(settingOf())).toBeLessThan(0.85);
  });

  it("hold frozen matrices in four bits where that is asked, and tables in 16", () => {
    const { weights } = memoryOf(settingOf({ tuning: lora(16, ["attention"], true) }), plain).parts;
    const all = memoryOf(settingOf(), plain).parts.weights / 4;
    const expected = (0.516 * blocks + 2 * 2 * table + 4 * attention) / total;
    expect(weights / all).toBeCloseTo(expected, 2);
  });

  it.each(Object.keys(families) as FamilyName[])("find every matrix of family %s but the router", (name) => {
    for (const layer of families[name].layers)
      for (const tensor of layer.tensors.filter(({ role }) => role === "matrix"))
        expect([tensor.name, namesOf(tensor).has("all")]).toEqual([tensor.name, !tensor.name.includes("router")]);
  });

  it("fit where the whole model does not, on a processor too", () => {
    const desk = cluster({ device: device("cpu"), gpusPerNode: 1 });
    const of = (tuning?: TuningSpec) =>
      memoryOf(settingOf({ cluster: desk, precision: "fp32", ...(tuning === undefined ? {} : { tuning }) }), plain);
    const [whole, tuned] = [of(), of(lora(16, ["attention"]))];
    expect(tuned.parts.weights / whole.parts.weights).toBeCloseTo(1, 1);
    expect(tuned.parts.optimizer + tuned.parts.gradients).toBeLessThan(0.05 * whole.parts.optimizer);
  });
});

describe("frozen weights", () => {
  it("of the lower layers keep no gradients and no moments", () => {
    const tuning: TuningSpec = { adapters: null, freeze: { lower: 0.5, tables: false } };
    const moments = (one: Setting): number => memoryOf(one, plain).parts.optimizer;
    expect(moments(settingOf({ tuning })) / moments(settingOf())).toBeCloseTo(1 - blocks / 2 / total, 5);
    expect(groundOf(settingOf({ tuning })).trained).toBe(total - blocks / 2);
  });

  it("of the tables leave an untied head to be trained, and freeze a tied one", () => {
    const tuning: TuningSpec = { adapters: null, freeze: { lower: 0, tables: true } };
    expect(groundOf(settingOf({ tuning })).trained).toBe(total - table);
    const setting = settingOf({ tuning });
    const tied = { ...setting.model, tied: true };
    expect(groundOf({ ...setting, model: tied }).trained).toBe(total - 2 * table);
  });

  it("of lower layers and of tables have no backward pass and keep nothing for one", () => {
    const frozen = (tables: boolean): Setting =>
      settingOf({ tuning: { adapters: null, freeze: { lower: 0.5, tables } } });
    const [whole, reached, unreached] = [settingOf(), frozen(false), frozen(true)];
    const many = { ...plain, micro_batch: 64 };
    const layers = (one: Setting): number => {
      const { activations } = memoryOf(one, many).parts;
      return activations - 2 * 4 * 64 * 512 * 1024;
    };
    expect(layers(unreached) / layers(whole)).toBeCloseTo(0.5, 2);
    const flops = (one: Setting): number => groundOf(one).flops;
    const layersFlops = flops(whole) - 6 * table;
    expect((flops(whole) - flops(unreached)) / layersFlops).toBeCloseTo(1 / 3, 2);
    expect((flops(whole) - flops(reached)) / layersFlops).toBeLessThan(1 / 6);
    const compute = (one: Setting): number => timeOf(one, many).parts["compute"] ?? 0;
    expect(compute(unreached)).toBeLessThan(0.85 * compute(reached));
    // The weights of layers that backward passes through have copies in 16 bits; of those that it does not, none.
    const copies = (one: Setting): number => memoryOf(one, plain).parts.buffers;
    expect((copies(whole) - copies(unreached)) / blocks).toBeCloseTo(1, 1);
    expect(copies(reached) / copies(whole)).toBeCloseTo(1, 2);
  });

  it("of layers and of tables go together", () => {
    const tuning: TuningSpec = { adapters: null, freeze: { lower: 0.5, tables: true } };
    const left = total - blocks / 2 - table;
    expect(groundOf(settingOf({ tuning })).trained).toBe(left);
    const moments = (one: Setting): number => memoryOf(one, plain).parts.optimizer;
    expect(moments(settingOf({ tuning })) / moments(settingOf())).toBeCloseTo(left / total, 5);
  });
});

describe("products in 8 and 4 bits", () => {
  const of = (precision: Setting["precision"], rest: Partial<Setting> = {}) =>
    settingOf({ engine: engines.megatron, precision, ...rest });
  const b200 = cluster({ device: device("b200"), gpusPerNode: 1 });

  it("keep two copies of matrices beside their 16 bits, and narrower inputs", () => {
    const [wide, narrow] = [memoryOf(of("bf16"), plain), memoryOf(of("fp8"), plain)];
    expect(narrow.parts.weights / wide.parts.weights).toBeCloseTo(1 + blocks / total, 3);
    expect(narrow.parts.activations).toBeLessThan(wide.parts.activations);
    expect(narrow.parts.optimizer).toBe(wide.parts.optimizer);
    expect(narrow.checkpoint).toBe(wide.checkpoint);
  });

  it("have no wide weights where they are kept so", () => {
    const narrow = { recipe: null, weights: true };
    const [wide, kept] = [memoryOf(of("bf16"), plain), memoryOf(of("fp8", { narrow }), plain)];
    expect(kept.parts.weights).toBe(wide.parts.weights);
  });

  it("keep less and take less time the narrower they are", () => {
    const at = (precision: Setting["precision"]) => of(precision, { cluster: b200 });
    const weights = (["fp8", "fp4"] as const).map((precision) => memoryOf(at(precision), plain).parts.weights);
    expect(weights[1]).toBeLessThan(weights[0] ?? 0);
    const large = { ...plain, micro_batch: 1024 };
    const steps = (["bf16", "fp8", "fp4"] as const).map(
      (precision) => timeOf(at(precision), large).parts["compute"] ?? 0,
    );
    expect(steps).toEqual([...steps].sort((a, b) => b - a));
    expect(new Set(steps).size).toBe(3);
  });
});

describe("what a stage says in Megatron's own words", () => {
  const of = (raw: Setting["raw"], rest: Partial<Setting> = {}) =>
    settingOf({
      engine: engines.megatron,
      cluster: cluster({ gpusPerNode: 8 }),
      ...(raw === undefined ? {} : { raw }),
      ...rest,
    });

  it("pads the tables on every tensor rank", () => {
    const split = { ...plain, tensor_parallel: 8 };
    expect(paddedRows(of({}), plain)).toBe(32000);
    expect(paddedRows(of({}), split)).toBe(32768);
    expect(paddedRows(of({ make_vocab_size_divisible_by: 1 }), split)).toBe(32000);
    expect(paddedRows(of({ make_vocab_size_divisible_by: 1000 }), split)).toBe(32000);
    expect(paddedRows(of({ "make-vocab-size-divisible-by": 5000 }), split)).toBe(40000);
    const weights = (raw: Setting["raw"]) => memoryOf(of(raw), split).parts.weights;
    expect(weights({ make_vocab_size_divisible_by: 5000 })).toBeGreaterThan(weights({}));
  });

  it("fuses the loss, and writes scores to memory", () => {
    const many = { ...plain, micro_batch: 64 };
    const parts = (raw: Setting["raw"]) => memoryOf(of(raw), many).parts;
    expect(parts({ cross_entropy_loss_fusion: true }).logits).toBeGreaterThan(parts({}).logits);
    expect(parts({ attention_backend: "unfused" }).activations).toBeGreaterThan(1.2 * parts({}).activations);
    expect(parts({ transformer_impl: "local" }).activations).toBeGreaterThan(1.2 * parts({}).activations);
  });
});

describe("frozen weights that FSDP2 shards", () => {
  const tuned = settingOf({
    tuning: lora(8, ["attention"]),
    cluster: cluster({ nodes: 1, gpusPerNode: 8 }),
    globalBatch: 8,
  });
  const at = (zero_stage: Choice["zero_stage"]) => memoryOf(tuned, { ...plain, zero_stage }).parts;

  it("are held in shards at stage 2 as at stage 3", () => {
    expect(at(2).weights / at(3).weights).toBeCloseTo(1, 1);
    expect(at(3).weights).toBeLessThan((2.2 * total) / 8);
  });

  it("are whole from forward to backward at stage 2, and one layer after the other at stage 3", () => {
    // What allocators were measured to take less than counted is taken off each part.
    expect(at(2).buffers).toBeGreaterThan(1.98 * total);
    expect(at(3).buffers).toBeLessThan(1.5 * total);
  });

  it("are gathered in four bits where they have no more", () => {
    const narrow = { ...tuned, tuning: lora(8, ["attention"], true) };
    const { buffers } = memoryOf(narrow, { ...plain, zero_stage: 2 }).parts;
    expect(at(2).buffers - buffers).toBeGreaterThan(1.4 * blocks);
  });

  it("have their tables gathered by the root at either stage", () => {
    expect(at(3).buffers).toBeGreaterThan(1.98 * 2 * table);
  });
});

describe("offloading of what is not trained", () => {
  const away: Choice = { ...plain, zero_stage: 3, offload: "all" };
  const on = (tuning?: TuningSpec, more: Partial<Setting> = {}): Setting =>
    settingOf({ engine: engines.deepspeed, ...(tuning === undefined ? {} : { tuning }), ...more });
  const host = (setting: Setting): number => memoryOf(setting, away).host_peak;

  it("leaves frozen weights in host memory, as wide as they are", () => {
    // Of an adapter with one row in each of two directions next to nothing lies there.
    const none = host(on(lora(1, ["q_proj"]))) - 2 * total;
    expect(none).toBeGreaterThan(3 * 2 ** 30 - 1);
    expect(none).toBeLessThan(3 * 2 ** 30 + 2 ** 21);
    const wide = host(on(lora(1, ["q_proj"])));
    const narrow = host(on(lora(1, ["q_proj"], true)));
    expect((wide - narrow) / (blocks * (2 - 0.5 - 0.127 / 8))).toBeCloseTo(1, 2);
    const onDisk = host(on(lora(1, ["q_proj"]), { nvme: true }));
    expect(onDisk).toBeGreaterThan(2 * total);
  });

  it("steps what is trained alone on the host, and passes all weights to it for each pass", () => {
    const parts = (tuning?: TuningSpec) => timeOf(on(tuning), away).parts;
    const [all, few] = [parts(), parts(lora(16, ["q_proj", "v_proj"]))];
    const { trained } = groundOf(on(lora(16, ["q_proj", "v_proj"])));
    expect((few["optimizer"] ?? 0) / (all["optimizer"] ?? 1)).toBeCloseTo(trained / total, 6);
    // Forward and backward read all weights; of those that are trained gradients and new weights pass too.
    expect((few["offload"] ?? 0) / (all["offload"] ?? 1)).toBeCloseTo((2 * total + 4 * trained) / (4 * total), 6);
  });
});
