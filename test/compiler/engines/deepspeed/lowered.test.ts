/** Every DeepSpeed configuration that a case or an example lowers: the engine takes it and reads each of its keys. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkDeepSpeed } from "../../../../compiler/engines/deepspeed/check.ts";
import { isSection, parseValue } from "../../../../compiler/engines/deepspeed/value.ts";
import { lowerStage } from "../../../../compiler/engines/lower.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { Scalar, StageStep } from "../../../../compiler/pipeline.ts";
import { cluster, given, modelRequest, pipeline, settings, stage } from "../../../support/pipeline.ts";
import { hasPython, python } from "../../../support/python.ts";

interface Lowered {
  readonly from: string;
  readonly text: string;
  readonly world: number;
  /** Of a pipeline. */
  readonly stages: number;
}

const baselines = join(import.meta.dirname, "../../../baselines");

function filesOf(bundle: string): ReadonlyMap<string, string> {
  const parts = bundle.split(/^==== (.+)$/m).slice(1);
  return new Map(parts.flatMap((path, at) => (at % 2 === 0 ? [[path.trim(), parts[at + 1] ?? ""] as const] : [])));
}

const lowered: readonly Lowered[] = readdirSync(baselines, { withFileTypes: true })
  .filter((each) => each.isDirectory() && readdirSync(join(baselines, each.name)).includes("bundle.txt"))
  .flatMap(({ name }) => {
    const files = filesOf(readFileSync(join(baselines, name, "bundle.txt"), "utf8"));
    return [...files]
      .filter(([path]) => path.endsWith("/deepspeed.json"))
      .map(([path, text]): Lowered => {
        const trainer = JSON.parse(files.get(path.replace("deepspeed.json", "trainer.json")) ?? "{}") as {
          world: number;
          pipeline_parallel?: number;
        };
        return { from: `${name}/${path}`, text, world: trainer.world, stages: trainer.pipeline_parallel ?? 1 };
      });
  });

it("is lowered by some cases", () => {
  expect(lowered.length).toBeGreaterThan(0);
});

const launchOf = ({ world, stages }: Lowered): Parameters<typeof checkDeepSpeed>[1] => ({
  world,
  model: stages === 1 ? { kind: "dense" } : { kind: "pipeline", stages },
  clientOptimizer: "AdamW",
  accelerator: "cuda",
});

describe.each(lowered.map((each) => [each.from, each] as const))("%s", (_, each) => {
  it("breaks no demand and has no key that nothing reads", () => {
    const config = parseValue(each.text);
    if (!isSection(config)) throw new Error("an object");
    expect(checkDeepSpeed(config, launchOf(each))).toEqual({ findings: [], undecided: [] });
  });
});

const model = modelRequest("llama", { layers: 4, d_model: 256, vocab: 1000, context: 512 });

const mixture = modelRequest("mixtral", {
  ...{ layers: 4, d_model: 256, vocab: 1000, context: 512, "moe.experts": 8, "moe.top_k": 2 },
});

interface Form {
  readonly model?: typeof model;
  readonly layout: Readonly<Record<string, Scalar>>;
  readonly sharding?: Partial<StageStep["sharding"]>;
  readonly raw?: StageStep["raw"];
}

/** What ZeRO++, offloading and the keys that a training program leaves to `raw` amount to. */
const forms: Readonly<Record<string, Form>> = {
  "groups that hold the weights once more": { layout: { zero_stage: 3 }, sharding: { over: given(4) } },
  "quantized weights": { layout: { zero_stage: 3 }, sharding: { quantize: given(["weights"]) } },
  "all of ZeRO++": {
    layout: { zero_stage: 3 },
    sharding: { over: given(2), quantize: given(["weights", "gradients"]) },
  },
  "optimizer on a disk": {
    layout: { zero_stage: 3, offload: "optimizer" },
    sharding: { nvme: given("/local/scratch") },
    raw: { aio: { block_size: 1048576, queue_depth: 8, single_submit: false, overlap_events: true } },
  },
  "everything on a disk": { layout: { zero_stage: 3, offload: "all" }, sharding: { nvme: given("/local/scratch") } },
  "sequences shared by ranks": { layout: { zero_stage: 3, context_parallel: 4 } },
  "layers shared by ranks": { layout: { zero_stage: 1, pipeline_parallel: 4 } },
  "layers shared by ranks and recomputed": { layout: { zero_stage: 0, pipeline_parallel: 2, recompute: "full" } },
  monitors: {
    layout: { zero_stage: 1 },
    raw: {
      tensorboard: { enabled: true, output_path: "logs", job_name: "a" },
      csv_monitor: { enabled: true, output_path: "logs", job_name: "b" },
      wandb: { enabled: false, project: "p" },
      comms_logger: { enabled: true, verbose: false, prof_all: true },
      flops_profiler: { enabled: true, profile_step: 5, module_depth: -1, top_modules: 3, detailed: false },
      wall_clock_breakdown: true,
      steps_per_print: 100,
    },
  },
  "reduction in other types": {
    layout: { zero_stage: 1 },
    raw: { communication_data_type: "fp32", data_types: { grad_accum_dtype: "fp32" }, prescale_gradients: false },
  },
  checkpoints: {
    layout: { zero_stage: 2 },
    raw: { checkpoint: { tag_validation: "Fail", parallel_write: { pipeline_stage: false }, load_universal: true } },
  },
  "experts shared by ranks": { model: mixture, layout: { expert_parallel: 4 } },
  "experts shared by ranks, with words on how they are computed": {
    model: mixture,
    layout: { zero_stage: 2, expert_parallel: 8 },
    raw: { expert_parallel: { combine_impl: "weighted_sum", use_grouped_mm: false, autoep_size: 8 } },
  },
  "layers recomputed by the engine": {
    layout: { zero_stage: 2, recompute: "full" },
    raw: { activation_checkpointing: { cpu_checkpointing: true, profile: false, number_checkpoints: null } },
  },
};

function lowerForm({
  model: of = model,
  layout,
  sharding,
  raw,
}: Form): Lowered & Record<"errors" | "told", readonly string[]> {
  const on = cluster({ gpusPerNode: 8, ram: 2 ** 41 });
  const step = stage(of, {
    engine: given("deepspeed"),
    sequence: given(512),
    batch: given({ unit: "samples", value: 64 } as const),
    layout: { given: settings(layout), bounds: new Map() },
    sharding: { over: null, quantize: null, nvme: null, ...sharding },
    raw: raw ?? {},
  });
  const { plan: result, diagnostics } = plan(pipeline(step, on));
  const told = diagnostics.map(({ message }) => message);
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  const [planned] = result.stages;
  const files = planned === undefined ? [] : lowerStage(step, planned, on);
  const text = files.find(({ path }) => path.endsWith("deepspeed.json"))?.text ?? "{}";
  return { from: "a form", text, world: 8, stages: planned?.layout.pipeline_parallel ?? 1, errors, told };
}

it.each(Object.entries(forms))("%s: breaks no rule", (_, form) => {
  const { errors, ...lowered } = lowerForm(form);
  expect(errors).toEqual([]);
  const config = parseValue(lowered.text);
  if (!isSection(config)) throw new Error("an object");
  expect(checkDeepSpeed(config, launchOf(lowered)).findings.map(({ message }) => message)).toEqual([]);
});

it.each([
  ["pipeline", { stages: 2 }, "pipeline_parallel"],
  ["tensor_parallel", { autotp_size: 2 }, "engine megatron"],
  ["expert_parallel", { enabled: true, autoep_size: 2 }, "layout { expert_parallel = … }"],
  ["sequence_parallel_size", 2, "context_parallel"],
  ["activation_checkpointing", { cpu_checkpointing: true }, "recompute = full"],
  ["activation_checkpointing", { partition_activations: true }, "engine megatron"],
  ["activation_checkpointing", { contiguous_memory_optimization: true, number_checkpoints: 4 }, "packs the parts"],
  ["data_efficiency", { enabled: true }, "orders the data"],
  ["elasticity", { enabled: true }, "write train_batch_size"],
] as const)("raw %s is refused with what does the same", (key, value, instead) => {
  const { told } = lowerForm({ layout: { zero_stage: 1 }, raw: { [key]: value } });
  expect(told.join("; ")).toContain(instead);
});

it.each([
  [{ expert_parallel: 4, zero_stage: 3 }, {}, "need zero_stage 1 or 2"],
  [{ expert_parallel: 4, context_parallel: 2 }, {}, "need context_parallel 1"],
  [{ expert_parallel: 4 }, { autoep_size: 2 }, "layout.expert_parallel"],
  [{ expert_parallel: 4 }, { preset_model: "qwen3_moe" }, "family mixtral"],
  [{ expert_parallel: 4 }, { top_k: 1 }, "expert_parallel.top_k must be set by the stage's model"],
] as const)("experts shared by ranks: %j with %j is refused", (layout, section, why) => {
  const { errors } = lowerForm({ model: mixture, layout, raw: { expert_parallel: section } });
  expect(errors.join("; ")).toContain(why);
});

it("families whose experts the engine does not find keep them on every rank", () => {
  const { errors } = lowerForm({ layout: { expert_parallel: 2 } });
  expect(errors.join("; ")).toContain("none of the model's layers has experts");
});

it("a universal checkpoint is made of shards", () => {
  const { errors } = lowerForm({ layout: { zero_stage: 0 }, raw: { checkpoint: { load_universal: true } } });
  expect(errors.join("; ")).toContain("the shards of ZeRO 1, 2 or 3");
});

it.runIf(hasPython)(
  "is taken by the real DeepSpeed, which reads every key",
  () => {
    const all = [...lowered, ...Object.values(forms).map(lowerForm)];
    // It is asked for one stage of a pipeline.
    const input = JSON.stringify(
      all.map(({ text, world, stages }) => ({ config: JSON.parse(text) as unknown, world: world / stages })),
    );
    const script = join(import.meta.dirname, "../../../support/deepspeed_configs.py");
    const out = execFileSync(python(), [script], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
    const answers = JSON.parse(out) as readonly { readonly error?: string; readonly unread?: readonly string[] }[];
    expect(answers.map(({ error, unread }) => error ?? unread)).toEqual(all.map(() => []));
  },
  120_000,
);

describe("weights on a disk", () => {
  const rows = 128_256;
  const large = modelRequest("llama", { layers: 4, d_model: 8192, vocab: rows, context: 512 });
  const form: Form = {
    model: large,
    layout: { zero_stage: 3, offload: "all" },
    sharding: { nvme: given("/local/scratch") },
  };
  // A rank's part of the embedding, the largest tensor.
  const elements = Math.ceil((rows * 8192) / 8);
  const config = (text: string) =>
    JSON.parse(text) as {
      zero_optimization: { offload_param: { buffer_size?: number }; stage3_max_reuse_distance?: number };
    };

  it("have buffers that hold the largest, and keep none for a next use", () => {
    const { zero_optimization: zero } = config(lowerForm(form).text);
    expect(zero).toMatchObject({ offload_param: { buffer_size: elements }, stage3_max_reuse_distance: 0 });
  });

  it("have the engine's own buffers where the largest fits", () => {
    const { zero_optimization: zero } = config(lowerForm(forms["everything on a disk"] ?? form).text);
    expect(zero.offload_param.buffer_size).toBe(1e8);
  });

  it.runIf(hasPython)(
    "fit into the buffers of the real swapper, which refuses them without",
    () => {
      const derived = config(lowerForm(form).text);
      const { buffer_size: _, ...rest } = derived.zero_optimization.offload_param;
      const usual = { ...derived, zero_optimization: { ...derived.zero_optimization, offload_param: rest } };
      const input = JSON.stringify([derived, usual].map((each) => ({ config: each, elements })));
      const script = join(import.meta.dirname, "../../../support/swap_buffer.py");
      const out = execFileSync(python(), [script], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
      expect(JSON.parse(out.slice(out.lastIndexOf("[")))).toEqual([
        "",
        `More elements ${elements} than buffer size 100000000`,
      ]);
    },
    120_000,
  );
});
