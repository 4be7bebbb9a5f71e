/** What `raw megatron { … }` changes of a plan. */
import { describe, expect, it } from "vitest";
import { families } from "../../../../compiler/models/index.ts";
import { withRawLayout } from "../../../../compiler/passes/resolve/raw-layout.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import { argumentTable } from "../../../../compiler/engines/megatron/table.ts";
import { uncounted } from "../../../../compiler/engines/megatron/stage/uncounted.ts";
import { readInEngine } from "../../../../compiler/engines/megatron/raw-engine.ts";
import type { StageStep } from "../../../../compiler/pipeline.ts";
import { cluster, device, given, modelRequest, pipeline, settings, span, stage } from "../../../support/pipeline.ts";

const model = modelRequest("llama", { layers: 32, d_model: 4096, vocab: 32_000, context: 4096 });
const pinned = {
  given: settings({
    tensor_parallel: 2,
    pipeline_parallel: 2,
    virtual_pipeline: 1,
    micro_batch: 8,
    zero_stage: 1,
    context_parallel: 1,
    sequence_parallel: true,
    offload: "none",
  }),
  bounds: new Map(),
};

const mixture = modelRequest("mixtral", {
  layers: 16,
  d_model: 2048,
  vocab: 32_000,
  context: 4096,
  "moe.experts": 16,
  "moe.top_k": 4,
});

function planned(raw: StageStep["rawMegatron"] = {}, recompute?: string, trained = model, gpu = "h100_sxm") {
  const spans = new Map(Object.keys(raw).map((key) => [key, span]));
  const own =
    recompute === undefined
      ? pinned
      : { ...pinned, given: new Map([...pinned.given, ["recompute", given(recompute)]]) };
  const rest = {
    engine: given("megatron" as const),
    sequence: given(4096),
    rawMegatron: raw,
    rawMegatronSpans: spans,
  };
  const { plan: made, diagnostics } = plan(
    pipeline(
      stage(trained, { ...rest, layout: withRawLayout(own, raw, spans, families[trained.family.value]) }),
      cluster({ nodes: 2, device: device(gpu) }),
    ),
  );
  const [one] = made.stages;
  if (one === undefined) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  return { ...one, told: diagnostics.map(({ code, message }) => `${code}: ${message}`) };
}

describe("raw megatron in a plan", () => {
  const none = planned({}, "none");
  const full = planned({}, "full");

  it("recomputes what it says: all layers as the layout would, blocks of them between none and all", () => {
    const all = planned({ recompute_granularity: "full", recompute_method: "uniform", recompute_num_layers: 1 });
    expect(all.layout.recompute).toBe("full");
    expect(all.memory.peak).toBe(full.memory.peak);
    expect(all.time.step).toBe(full.time.step);
    const blocks = [4, 8, 16].map((count) =>
      planned({ recompute_granularity: "full", recompute_method: "block", recompute_num_layers: count }),
    );
    const peaks = [none, ...blocks].map(({ memory }) => memory.peak);
    const steps = [none, ...blocks].map(({ time }) => time.step);
    expect(peaks).toEqual([...peaks].sort((a, b) => b - a));
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(blocks[2]?.memory.peak).toBe(full.memory.peak);
    expect((blocks[1]?.time.step ?? 0) - none.time.step).toBeCloseTo((full.time.step - none.time.step) / 2, 2);
  });

  it("recomputes the modules that it names", () => {
    const mlp = planned({ recompute_granularity: "selective", recompute_modules: ["mlp"] });
    expect(mlp.layout.recompute).toBe("selective");
    expect(mlp.memory.peak).toBeLessThan(none.memory.peak);
    expect(mlp.time.step).toBeGreaterThan(none.time.step);
  });

  it.each([
    [{ grad_reduce_in_bf16: true }, "gradients", 1 / 2],
    [{ "grad-reduce-in-bf16": true }, "gradients", 1 / 2],
    [{ grad_reduce_in_bf16: true, accumulate_allreduce_grads_in_fp32: true }, "gradients", 1],
    [{ accumulate_allreduce_grads_in_fp32: false }, "gradients", 1],
    [{ use_precision_aware_optimizer: true, exp_avg_dtype: "bf16", exp_avg_sq_dtype: "bf16" }, "optimizer", 6 / 12],
    [{ use_precision_aware_optimizer: true, exp_avg_dtype: "fp8", exp_avg_sq_dtype: "fp16" }, "optimizer", 5 / 12],
    [{ exp_avg_dtype: "bf16" }, "optimizer", 1],
  ] as const)("%j makes %s so many times as much: %d", (raw, part, times) => {
    const { memory } = planned(raw, "none");
    expect(memory.parts[part] / none.memory.parts[part]).toBeCloseTo(times, 6);
  });

  it("takes the optimizer to the host, as much of it as it says", () => {
    const raw = { use_precision_aware_optimizer: true, optimizer_cpu_offload: true };
    const all = planned(raw, "none");
    const half = planned({ ...raw, optimizer_offload_fraction: 0.5 }, "none");
    expect(all.memory.parts.optimizer).toBe(0);
    expect(half.memory.parts.optimizer).toBeGreaterThan(0);
    expect(all.memory.host_peak).toBeGreaterThan(half.memory.host_peak);
    expect(half.memory.host_peak).toBeGreaterThan(none.memory.host_peak);
    expect(all.time.step).toBeGreaterThan(half.time.step);
    expect(half.time.step).toBeGreaterThan(none.time.step);
  });

  it("does not hide what it says is not to run beside", () => {
    const late = planned({ overlap_grad_reduce: false, overlap_param_gather: false }, "none");
    expect(late.time.parts["data_comm"]).toBeGreaterThan(none.time.parts["data_comm"] ?? 0);
  });

  it("hides the exchange of experts' tokens where it says so", () => {
    const whole = planned({}, "none", mixture);
    const beside = planned({ overlap_moe_expert_parallel_comm: true }, "none", mixture);
    expect(beside.time.parts["expert_comm"]).toBeLessThan(0.8 * (whole.time.parts["expert_comm"] ?? 0));
  });

  it("runs products in the format that it says", () => {
    const { time } = planned({ fp8: "hybrid" }, "none");
    expect(time.parts["compute"]).toBeLessThan(none.time.parts["compute"] ?? 0);
  });

  it("passes nothing between the products of experts that one kernel makes in 8 bits", () => {
    const compute = (raw: StageStep["rawMegatron"], gpu: string): number =>
      planned(raw, "none", mixture, gpu).time.parts["compute"] ?? 0;
    const fuser = { use_transformer_engine_op_fuser: true };
    const narrow = { fp8: "e4m3", fp8_recipe: "mxfp8" };
    expect(compute({ ...fuser, ...narrow }, "b200")).toBeLessThan(0.95 * compute(narrow, "b200"));
    expect(compute(fuser, "b200")).toBe(compute({}, "b200"));
    expect(compute({ ...fuser, fp8: "hybrid" }, "h100_sxm")).toBe(compute({ fp8: "hybrid" }, "h100_sxm"));
  });

  it("tells of what is not counted, once, and not of what stays as it is", () => {
    const { told } = planned({ tp_comm_overlap: true, delay_wgrad_compute: false, log_throughput: true }, "none");
    expect(told.filter((each) => each.includes("uncounted"))).toEqual([
      "cdr/engine-raw-uncounted: the plan does not count tp_comm_overlap, which changes memory and time",
    ]);
  });

  it("asks for the host's memory where the optimizer lies there and nobody said what there is", () => {
    const raw = { optimizer_cpu_offload: true, use_precision_aware_optimizer: true };
    const unsaid = ({ told }: ReturnType<typeof planned>): string[] =>
      told.filter((each) => each.startsWith("cdr/memory-host-unknown"));
    expect(unsaid(planned(raw, "full"))).toEqual([
      expect.stringMatching(/^cdr\/memory-host-unknown: optimizer_cpu_offload needs about \d/),
    ]);
    expect(unsaid(planned({}, "full"))).toEqual([]);
  });

  it("names arguments that the engine has", () => {
    const table = argumentTable("gpt");
    const names = new Set(
      table.all.flatMap(({ dest, names: written }) => [
        dest,
        ...written.map((name) => name.slice(2).replaceAll("-", "_")),
      ]),
    );
    for (const name of [...Object.keys(uncounted), ...readInEngine]) expect(names, name).toContain(name);
  });
});
