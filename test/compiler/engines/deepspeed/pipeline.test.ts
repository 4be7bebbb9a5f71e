/** Layers shared by ranks on DeepSpeed: what goes with them, what they are planned as, and what is lowered. */
import { describe, expect, it } from "vitest";
import { engines } from "../../../../compiler/engines/index.ts";
import { lowerStage } from "../../../../compiler/engines/lower.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { ClusterSpec, EngineName, ModelRequest, Scalar, StageStep } from "../../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../../compiler/plan.ts";
import { cluster, device, given, modelRequest, pipeline, settings, stage } from "../../../support/pipeline.ts";

const shape = { layers: 10, d_model: 1024, heads: 16, kv_heads: 16, context: 1024, vocab: 32_000 };
const dense = modelRequest("llama", shape);
const mixture = modelRequest("mixtral", { ...shape, "moe.experts": 8, "moe.top_k": 2 });
const gpus = cluster({ ram: 2 ** 41 });
const processors = cluster({ device: device("cpu"), gpusPerNode: 4, ram: 2 ** 37 });

interface Case {
  readonly model?: ModelRequest;
  readonly engine?: EngineName | null;
  readonly on?: ClusterSpec;
  readonly rest?: Partial<StageStep>;
}

function planned(
  pins: Readonly<Record<string, Scalar>>,
  { model = dense, engine = "deepspeed", on = gpus, rest = {} }: Case = {},
): { readonly step: StageStep; readonly stages: readonly StagePlan[]; readonly told: readonly string[] } {
  const step = stage(model, {
    engine: engine === null ? null : given(engine),
    batch: given({ unit: "samples", value: 64 } as const),
    layout: { given: settings(pins), bounds: new Map() },
    ...rest,
  });
  const { plan: made, diagnostics } = plan(pipeline(step, on));
  return { step, stages: made.stages, told: diagnostics.map(({ message }) => message) };
}

describe("beside a pipeline", () => {
  it.each([
    [{ zero_stage: 2 }, {}, "a pipeline of deepspeed needs zero_stage 0 or 1"],
    [{ zero_stage: 1, offload: "optimizer" }, {}, "a pipeline of deepspeed needs offload none"],
    [{ context_parallel: 2 }, {}, "a pipeline of deepspeed needs context_parallel 1"],
    [{}, { model: mixture }, "the training program cannot split family mixtral into stages"],
    [{}, { rest: { compile: true } }, "compile = true needs an unsplit model"],
  ] as const)("%j is refused with the reason", (pins, options, reason) => {
    expect(planned({ pipeline_parallel: 4, ...pins }, options).told.join("; ")).toContain(reason);
    expect(planned({ pipeline_parallel: 1, ...pins }, options).told.join("; ")).not.toContain(reason);
  });

  it("more stages than layers are", () => {
    const few = modelRequest("llama", { ...shape, layers: 3 });
    expect(planned({ pipeline_parallel: 4 }, { model: few }).told.join()).toContain(
      "3 layers are fewer than 4 stages",
    );
    expect(planned({ pipeline_parallel: 4 }).told).toEqual([]);
  });
});

describe("a plan", () => {
  it.each([
    ["on GPUs", gpus, 8],
    ["on processors", processors, 4],
  ])("%s holds a part of the model on each stage, and waits for the others", (_, on, world) => {
    const [whole] = planned({ pipeline_parallel: 1, zero_stage: 0, micro_batch: 2 }, { on }).stages;
    const [cut] = planned({ pipeline_parallel: 4, zero_stage: 0, micro_batch: 2 }, { on }).stages;
    if (whole === undefined || cut === undefined) throw new Error("both are planned");
    expect(cut.layout).toMatchObject({ pipeline_parallel: 4, data_parallel: world / 4 });
    expect(cut.batch.accumulation).toBe(4 * whole.batch.accumulation);
    expect(cut.memory.ranks.length).toBe(4);
    // Ten layers over four stages are 3, 3, 2 and 2, and the tables lie on the first and the last one.
    const weights = cut.memory.ranks.map(({ parts }) => parts?.weights ?? 0);
    expect(Math.max(...weights)).toBeLessThan(0.5 * whole.memory.parts.weights);
    expect(weights[1]).toBeGreaterThan(1.4 * (weights[2] ?? 0));
    expect(cut.time.parts["pipeline_bubble"]).toBeGreaterThan(0);
  });

  it.each([gpus, processors])("has less of a bubble with more micro-batches", (on) => {
    const share = (micro: number): number => {
      const [one] = planned({ pipeline_parallel: 4, zero_stage: 1, micro_batch: micro }, { on }).stages;
      return one === undefined ? NaN : (one.time.parts["pipeline_bubble"] ?? NaN) / one.time.step;
    };
    expect(share(1)).toBeLessThan(share(8));
  });

  it("takes a pipeline only where it pays or the layout asks for one, as the plainest engine near the fastest", () => {
    expect(planned({}).stages[0]?.layout.pipeline_parallel).toBe(1);
    expect(planned({ pipeline_parallel: 2 }, { engine: null }).stages[0]?.engine).toBe("deepspeed");
    expect(planned({ pipeline_parallel: 2 }, { engine: null, on: processors }).stages[0]?.engine).toBe("deepspeed");
  });
});

it("tells the training program and the engine of it", () => {
  const { step, stages } = planned({ pipeline_parallel: 2, zero_stage: 1, recompute: "full" });
  const [made] = stages;
  if (made === undefined) throw new Error("it is planned");
  const files = lowerStage(step, made, gpus);
  const json = (name: string): Record<string, unknown> =>
    JSON.parse(files.find(({ path }) => path.endsWith(name))?.text ?? "{}") as Record<string, unknown>;
  expect(json("trainer.json")).toMatchObject({ pipeline_parallel: 2, world: 8, recompute: "full" });
  const { train_batch_size, ...engine } = json("deepspeed.json");
  expect(engine).toMatchObject({
    pipeline: { activation_checkpoint_interval: 1, use_reentrant: false },
    zero_optimization: { stage: 1, overlap_comm: false },
  });
  // Four replicas read different samples.
  const sizes = ["train_micro_batch_size_per_gpu", "gradient_accumulation_steps"].map((key) => Number(engine[key]));
  expect(train_batch_size).toBe(sizes.reduce((product, size) => product * size, 4));
  expect(engines.deepspeed.capabilities.parallel.pipeline_parallel).toBeGreaterThan(1);
});
