import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lowerStage } from "../../../compiler/engines/lower.ts";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { Scalar, StageStep } from "../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../compiler/plan.ts";
import { cluster, given, modelRequest, pipeline, settings, span, stage } from "../../support/pipeline.ts";
import { hasPython, python } from "../../support/python.ts";

function layout(values: Readonly<Record<string, Scalar>>): StageStep["layout"] {
  return { given: settings(values), bounds: new Map() };
}

const model = modelRequest("llama", { layers: 4, d_model: 256, vocab: 1000, context: 512 });

interface Case {
  readonly step: StageStep;
  readonly plan: StagePlan;
}

function planned(rest: Partial<StageStep>, gpusPerNode: number): Case {
  const step = stage(model, { engine: given("deepspeed"), sequence: given(512), ...rest });
  const { plan: result, diagnostics } = plan(pipeline(step, cluster({ gpusPerNode, ram: 2 ** 40 })));
  const [first] = result.stages;
  if (first === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return { step, plan: first };
}

/** ZeRO stage x offload x precision x micro-batch, on different numbers of ranks. */
const cases: readonly Case[] = [1, 2, 8].flatMap((ranks, i) =>
  ([0, 1, 2, 3] as const).flatMap((zero_stage) =>
    (["none", "optimizer", "all"] as const)
      .filter((offload) => offload === "none" || (zero_stage > 0 && (offload === "optimizer" || zero_stage === 3)))
      .flatMap((offload, j) => {
        const precision = (["fp32", "bf16", "fp16"] as const)[(zero_stage + i + j) % 3] ?? "bf16";
        return [1, 4].map((micro_batch) =>
          planned(
            {
              precision: given(precision),
              clip: micro_batch === 1 ? null : 0.5,
              batch: given({ unit: "samples", value: 64 }),
              layout: layout({ zero_stage, offload, micro_batch }),
            },
            ranks,
          ),
        );
      }),
  ),
);

function configOf({ step, plan }: Case): Readonly<Record<string, unknown>> {
  const file = lowerStage(step, plan, cluster()).find(({ path }) => path.endsWith("deepspeed.json"));
  if (file === undefined) throw new Error("no deepspeed.json");
  return JSON.parse(file.text) as Record<string, unknown>;
}

describe("deepspeed.json", () => {
  it.runIf(hasPython)(
    "says to the real DeepSpeed what the plan says",
    () => {
      expect(cases.length).toBeGreaterThanOrEqual(40);
      const input = JSON.stringify(cases.map((c) => ({ config: configOf(c), world: c.plan.layout.world })));
      const script = join(import.meta.dirname, "../../support/deepspeed_configs.py");
      const out = execFileSync(python(), [script], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
      const expected = cases.map(({ step, plan }) => ({
        batch: [plan.batch.global_batch, plan.batch.micro_batch, plan.batch.accumulation],
        stage: plan.layout.zero_stage,
        clipping: step.clip ?? 0,
        precision: step.precision.value,
        offload: [plan.layout.offload !== "none", plan.layout.offload === "all"],
        buckets: expect.any(Number),
        unread: [],
      }));
      expect(JSON.parse(out)).toEqual(expected);
    },
    120_000,
  );

  it("holds no value that is left to somebody else", () => {
    for (const one of cases) expect(JSON.stringify(configOf(one))).not.toContain('"auto"');
  });

  it("gives the trainer the same numbers", () => {
    for (const one of cases) {
      const file = lowerStage(one.step, one.plan, cluster()).find(
        ({ path }) => path === "stages/pretrain/trainer.json",
      );
      const config = JSON.parse(file?.text ?? "{}");
      expect(config.deepspeed).toBe("deepspeed.json");
      expect(config.batch.micro_batch * config.batch.accumulation * config.world).toBe(config.batch.global_batch);
      expect(config.batch.global_batch).toBe(configOf(one)["train_batch_size"]);
      expect(file?.text.endsWith("}\n")).toBe(true);
    }
  });
});

describe("raw deepspeed", () => {
  const judged = (raw: StageStep["raw"], rest: Partial<StageStep> = {}): string[] => {
    const spans = new Map(Object.keys(raw).map((key) => [key, span]));
    const step = stage(model, { sequence: given(512), raw, rawSpans: spans, ...rest });
    return plan(pipeline(step)).diagnostics.map((d) => `${d.code.slice(4)}: ${d.message}`);
  };

  it("is laid over what the plan decides", () => {
    const one = planned({ raw: { zero_optimization: { reduce_bucket_size: 1000 }, wall_clock_breakdown: true } }, 8);
    const config = configOf(one);
    expect(config["wall_clock_breakdown"]).toBe(true);
    expect(config["zero_optimization"]).toMatchObject({
      stage: one.plan.layout.zero_stage,
      reduce_bucket_size: 1000,
    });
  });

  it("picks the engine", () => {
    expect(judged({ wall_clock_breakdown: true })).toEqual([]);
  });

  it.each([
    [
      { grandient_clipping: 1 },
      "engine-raw-unknown: deepspeed has no key grandient_clipping; did you mean gradient_clipping?",
    ],
    [
      { zero_optimization: { reduce_bucket: 5 } },
      "engine-raw-unknown: deepspeed has no key zero_optimization.reduce_bucket",
    ],
    [{ stage: 2 }, "engine-raw-unknown: deepspeed has no key stage: it belongs to zero_optimization.stage"],
    [
      { zero_optimization: { gradient_clipping: 1 } },
      "engine-raw-unknown: deepspeed has no key zero_optimization.gradient_clipping: it belongs at the top level, like zero_optimization",
    ],
    [
      { zero_optimization: { cpu_offload: true } },
      "engine-raw-conflict: zero_optimization.cpu_offload = true contradicts false, which follows from layout.offload of the stage",
    ],
    [
      { zero_optimization: { cpu_offload: false } },
      "engine-raw-deprecated: zero_optimization.cpu_offload is deprecated (an old name); offload_optimizer replaces it",
    ],
    [
      { zero_optimization: { stage: "auto" } },
      'engine-raw-type: zero_optimization.stage = "auto" is not one of 0, 1, 2, 3',
    ],
    [
      { sparse_gradients: true },
      "engine-raw-refused: deepspeed 0.19.8 refuses sparse_gradients: an embedding with sparse=True needs no key",
    ],
    [
      { train_batch_size: 256 },
      "engine-raw-conflict: train_batch_size = 256 contradicts 512, which follows from batch = 512 samples",
    ],
    [
      { gradient_clipping: 0.5 },
      "engine-raw-conflict: gradient_clipping = 0.5 contradicts 1, which follows from clip = 1",
    ],
    [
      { fp16: { enabled: true } },
      "engine-raw-conflict: fp16.enabled = true contradicts false, which follows from precision = bf16",
    ],
    [{ optimizer: { type: "Adam" } }, "engine-raw-owned: optimizer must be set by the stage's optimizer"],
    [{ gradient_clipping: -1 }, "engine-raw-type: gradient_clipping = -1 is not a number >= 0"],
    [{ steps_per_print: "10" }, 'engine-raw-type: steps_per_print = "10" is not a number'],
  ] as const)("%j is refused", (raw, message) => {
    expect(judged(raw as StageStep["raw"])).toContainEqual(expect.stringContaining(message));
  });

  it("is read by no other engine", () => {
    expect(judged({ wall_clock_breakdown: true }, { engine: given("torch") })).toEqual([
      "engine-raw-unread: raw deepspeed has no effect: the stage runs on engine torch",
    ]);
  });

  it("knows which combinations the engine refuses", () => {
    const raw = { zero_optimization: { offload_param: { pin_memory: true } }, prescale_gradients: true };
    expect(judged(raw, { layout: layout({ zero_stage: 2 }) })).toEqual([
      "engine-combination: prescale_gradients with ZeRO stage 2: with reduce_scatter gradients are not scaled before the sum",
      "engine-raw-ignored: zero_optimization.offload_param has no effect: ZeRO stage 2 does not read it",
    ]);
  });

  it("does not count what no stage looks at", () => {
    const raw = { zero_optimization: { stage3_prefetch_bucket_size: 1_000_000 }, aio: { block_size: 1_048_576 } };
    expect(judged(raw, { layout: layout({ zero_stage: 2 }) })).toEqual([
      "engine-raw-ignored: zero_optimization.stage3_prefetch_bucket_size has no effect: ZeRO stage 2 does not read it",
      "engine-raw-ignored: aio has no effect: nothing is offloaded to nvme, and no checkpoint.writer uses it",
    ]);
  });
});
