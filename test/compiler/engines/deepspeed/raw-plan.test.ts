/** What `raw deepspeed { … }` changes of a plan, and what it is told not to. */
import { describe, expect, it } from "vitest";
import { compile } from "../../../../compiler/compile.ts";
import { readInEngine, uncounted } from "../../../../compiler/engines/deepspeed/raw-engine.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { Scalar, StageStep } from "../../../../compiler/pipeline.ts";
import { alone } from "../../../support/alone.ts";
import { cluster, given, modelRequest, pipeline, settings, span, stage } from "../../../support/pipeline.ts";

const model = modelRequest("llama", { layers: 32, d_model: 4096, vocab: 32_000, context: 4096 });

function refusedIn(raw: StageStep["raw"]): readonly string[] {
  const rawSpans = new Map(Object.keys(raw).map((key) => [key, span]));
  const step = stage(model, { engine: given("deepspeed" as const), raw, rawSpans });
  const { diagnostics } = plan(pipeline(step, cluster({ nodes: 2 })));
  return diagnostics
    .filter(({ code }) => code === "cdr/engine-raw-type")
    .map(({ message }) => message.split(" ")[0] ?? "");
}

function planned(raw: StageStep["raw"] = {}, pins: Readonly<Record<string, Scalar>> = {}) {
  const step = stage(model, {
    engine: given("deepspeed" as const),
    sequence: given(4096),
    raw,
    rawSpans: new Map(Object.keys(raw).map((key) => [key, span])),
    layout: {
      given: settings({ micro_batch: 2, zero_stage: 3, recompute: "full", offload: "none", ...pins }),
      bounds: new Map(),
    },
  });
  const { plan: made, diagnostics } = plan(pipeline(step, cluster({ nodes: 2 })));
  const [one] = made.stages;
  if (one === undefined) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  const told = diagnostics.filter(({ code }) => code.endsWith("uncounted")).map(({ message }) => message);
  return { memory: one.memory, time: one.time, told };
}

it.each([
  ["select_interval", []],
  ["topk_ratio", ["zero_optimization.zenflow.topk_ratio"]],
])("auto is refused but where it is a value: %s", (key, refused) => {
  const raw = { zero_optimization: { zenflow: { [key]: "auto" } } };
  expect(refusedIn(raw)).toEqual(refused);
});

describe("raw deepspeed in a plan", () => {
  const plain = planned();

  it("counts buckets, and what does not run beside them", () => {
    const wide = planned({ zero_optimization: { reduce_bucket_size: 2e9 } });
    expect(wide.memory.parts.buffers).toBeGreaterThan(plain.memory.parts.buffers);
    const alone = planned({ zero_optimization: { overlap_comm: false } });
    expect(alone.memory.parts.buffers).toBeLessThan(plain.memory.parts.buffers);
    expect(alone.time.parts["data_comm"]).toBeGreaterThan(plain.time.parts["data_comm"] ?? 0);
  });

  it("counts weights that stay gathered", () => {
    const short = planned({ zero_optimization: { stage3_max_reuse_distance: 0 } });
    expect(short.memory.parts.buffers).toBeLessThan(plain.memory.parts.buffers);
  });

  it("counts the types of gradients, their messages and the optimizer's states", () => {
    const wide = planned({ data_types: { grad_accum_dtype: "fp32" } });
    expect(wide.memory.parts.gradients / plain.memory.parts.gradients).toBeCloseTo(2, 3);
    const sent = planned({ communication_data_type: "fp32" });
    expect(sent.time.parts["data_comm"]).toBeGreaterThan(plain.time.parts["data_comm"] ?? 0);
    const bf16 = { enabled: true, bf16_master_weights_and_grads: true, bf16_optimizer_states: true };
    expect(planned({ bf16 }).memory.parts.optimizer / plain.memory.parts.optimizer).toBeCloseTo(0.5, 3);
  });

  it("counts a second copy of the weights within a group, as `shard_over` does", () => {
    const copied = planned({ zero_optimization: { zero_hpz_partition_size: 8 } });
    expect(copied.memory.parts.weights / plain.memory.parts.weights).toBeCloseTo(1 + 16 / 8, 2);
    expect(copied.time.parts["data_comm"]).toBeLessThan(plain.time.parts["data_comm"] ?? 0);
    const kept = planned({ zero_optimization: { zero_hpz_partition_size: 8 } }, { zero_stage: 2 });
    expect(kept.memory.parts.weights).toBe(planned({}, { zero_stage: 2 }).memory.parts.weights);
  });

  it("counts inputs of layers that lie on the host", () => {
    const moved = planned({ activation_checkpointing: { cpu_checkpointing: true } });
    expect(moved.memory.peak).toBeLessThan(plain.memory.peak);
    expect(moved.memory.host_peak).toBeGreaterThan(plain.memory.host_peak);
    expect(moved.time.parts["offload"]).toBeGreaterThan(0);
  });

  it("tells what it does not count, and nothing else", () => {
    expect(planned({ flops_profiler: { enabled: true } }).told).toEqual([
      "the plan does not count flops_profiler.enabled, which changes time",
    ]);
    expect(planned({ flops_profiler: { enabled: false }, steps_per_print: 10 }).told).toEqual([]);
    expect(readInEngine.filter((key) => key in uncounted)).toEqual([]);
  });
});

it("says who gives the new name of a key that the raw block gives by its old one", () => {
  const text = `import "std/clusters" { dgx_h100 }
data corpus { from = python_stdlib, tokenizer = bytes }
model m { family = llama, layers = 4, d_model = 256, context = 1024 tokens }
stage s {
  model = m
  data = corpus
  engine = deepspeed
  length = 10 steps
  batch = 64 samples
  optimizer = adamw(lr = 1e-3)
  layout { zero_stage = 3, offload = optimizer }
  raw deepspeed { zero_optimization { cpu_offload = true } }
}
cluster c extends dgx_h100 { nodes = 1 }
launch here on c { target = local }
`;
  const { diagnostics } = compile({ path: "x.cdr", text }, alone);
  expect(diagnostics.map(({ message }) => message)).toContain(
    'zero_optimization.cpu_offload is the old name of offload_optimizer, which is already set (zero_optimization.offload_optimizer.device = "cpu", from layout.offload of the stage): the engine refuses both',
  );
});
