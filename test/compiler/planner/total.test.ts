/** What a whole run takes beside its steps. */
import { hardlyEnds } from "../../../compiler/planner/run/failures.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { ClusterSpec, Pipeline, StageStep } from "../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../compiler/plan.ts";
import { cluster, device, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";

const model = modelRequest("llama", { layers: 32, d_model: 4096, vocab: 32_000 });
const steps = (value: number) => ({ unit: "steps", value }) as const;
const saved = (every: number | null): StageStep["checkpoint"] => ({
  every: every === null ? null : steps(every),
  keepLast: null,
  keepBest: null,
});

function planned(rest: Partial<StageStep> = {}, on: ClusterSpec = cluster(), data?: Pipeline["steps"]): StagePlan {
  const made = pipeline(stage(model, { engine: given("deepspeed"), ...rest }), on);
  const [one] = plan({ ...made, steps: [...made.steps, ...(data ?? [])] }).plan.stages;
  if (one === undefined) throw new Error("no plan");
  return one;
}

describe("the total of a run", () => {
  it("is the sum of its parts, and steps alone are seconds times steps", () => {
    fc.assert(
      fc.property(
        fc.record({
          saves: fc.option(fc.integer({ min: 1, max: 2000 })),
          evals: fc.integer({ min: 1, max: 2000 }),
          batches: fc.integer({ min: 1, max: 1000 }),
          engine: fc.constantFrom("deepspeed" as const, "megatron" as const),
        }),
        ({ saves, evals, batches, engine }) => {
          const { total, time, layout } = planned({
            engine: given(engine),
            checkpoint: saved(saves),
            eval: { every: steps(evals), length: { unit: "batches", value: batches } },
          });
          const sum = Object.values(total.parts).reduce((a, b) => a + b, 0);
          expect(total.hours).toBeCloseTo(sum, 10);
          expect(total.parts.steps).toBeCloseTo((total.steps * time.step) / 3600, 10);
          expect(total.gpu_hours).toBeCloseTo(total.hours * layout.world, 8);
          expect(total.cost).toBeCloseTo(2 * total.gpu_hours, 8);
          for (const hours of Object.values(total.parts)) expect(hours).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("evaluates for a third of a step's computing where a batch is a step's, and as often as the stage says", () => {
    const { time, total, batch } = planned({
      eval: { every: steps(100), length: { unit: "batches", value: 4 } },
      checkpoint: null,
    });
    const forward = ((time.parts["compute"] ?? 0) / 3 / batch.accumulation) * 4;
    expect(total.parts.evaluation).toBeGreaterThanOrEqual((10 * forward) / 3600 - 1e-12);
    expect(total.parts.evaluation).toBeLessThan((10 * 4 * time.step) / batch.accumulation / 3600);
    const twice = planned({
      eval: { every: steps(50), length: { unit: "batches", value: 4 } },
      checkpoint: null,
    }).total;
    expect(twice.parts.evaluation).toBeCloseTo(2 * total.parts.evaluation, 10);
  });

  it("takes Megatron's iterations of evaluation for whole global batches", () => {
    const evaluated = { eval: { every: steps(100), length: { unit: "batches", value: 3 } } } as const;
    const { time, total } = planned({ ...evaluated, engine: given("megatron") });
    const passes = (total.parts.evaluation * 3600) / (10 * 3);
    expect(passes).toBeGreaterThan(time.step / 5);
    expect(passes).toBeLessThan(time.step / 2);
  });

  it.each(["deepspeed", "megatron"] as const)("takes samples of %s for those of all replicas together", (engine) => {
    const by = (length: StageStep["eval"] & {}) => planned({ eval: length, engine: given(engine), checkpoint: null });
    const one = by({ every: steps(100), length: { unit: "batches", value: 1 } });
    const samples = one.batch.micro_batch * one.layout.data_parallel;
    const each = engine === "megatron" ? one.batch.global_batch : samples;
    const three = by({ every: steps(100), length: { unit: "samples", value: 2 * each + 1 } });
    expect(three.total.parts.evaluation).toBeCloseTo(3 * one.total.parts.evaluation, 10);
  });

  it("says that it does not count a split whose length nobody said", () => {
    const evaluation = { eval: { every: steps(100), length: null } };
    const unknown = planned(evaluation).total;
    expect(unknown.parts.evaluation).toBe(0);
    expect(unknown.uncounted.join()).toContain("`tokens`");
    const known = planned(evaluation, cluster(), [
      {
        kind: "data",
        name: "corpus",
        tokens: 1e9,
        config: { split: { val: 0.1, seed: 1 } },
      } as Pipeline["steps"][number],
    ]).total;
    expect(known.parts.evaluation).toBeGreaterThan(0);
    expect(known.uncounted).toEqual([]);
  });

  it("waits for every checkpoint, less long where several nodes write and hardly where they write beside", () => {
    const { total, memory } = planned({
      checkpoint: saved(100),
      layout: { given: settings({ zero_stage: 1 }), bounds: new Map() },
    });
    expect(total.parts.checkpoints).toBeCloseTo((10 * memory.checkpoint) / 1e9 / 3600, 8);
    const wide = planned({ engine: given("megatron"), checkpoint: saved(100) }, cluster({ nodes: 4 }));
    expect(wide.total.parts.checkpoints).toBeCloseTo((10 * memory.checkpoint) / 4e9 / 3600, 8);
    const beside = planned(
      { engine: given("megatron"), checkpoint: saved(100), rawMegatron: { async_save: true } },
      cluster({ nodes: 4 }),
    );
    expect(beside.total.parts.checkpoints).toBeLessThan(wide.total.parts.checkpoints / 2);
  });

  it("expects as many failures as Llama 3 had, which cost more the rarer a run saves", () => {
    const on = cluster({ nodes: 128 });
    const length = { length: given(steps(8_000_000)), batch: given({ unit: "samples", value: 1024 } as const) };
    const { total } = planned({ ...length, checkpoint: saved(500) }, on);
    expect(total.failures).toBeCloseTo(
      ((total.hours - total.parts.failures - total.parts.start) * 1024 * 419) / (54 * 24 * 16_384),
      6,
    );
    expect(total.failures).toBeGreaterThan(10);
    expect(total.parts.failures).toBeGreaterThan((total.failures * 600) / 3600);
    const rarer = planned({ ...length, checkpoint: saved(1000) }, on).total;
    expect(rarer.parts.failures).toBeGreaterThan(total.parts.failures);
  });

  it("counts as much again as all else for failures at most, and says that it does", () => {
    const on = cluster({ nodes: 128 });
    const of = (checkpoint: StageStep["checkpoint"]): StagePlan["total"] =>
      planned(
        { length: given(steps(8_000_000)), batch: given({ unit: "samples", value: 1024 } as const), checkpoint },
        on,
      ).total;
    const [often, once] = [of(saved(500)), of(null)];
    expect([hardlyEnds(often), hardlyEnds(once)]).toEqual([false, true]);
    expect(often.uncounted).toEqual([]);
    expect(once.uncounted.join()).toMatch(/^what \d+ failures cost beyond/);
    expect(once.parts.failures).toBeCloseTo(once.hours / 2, 6);
    expect(once.gpu_hours).toBeCloseTo(once.hours * 1024, 3);
  });

  it("never costs less for more steps, whether failures are rare or all that happens", () => {
    const on = cluster({ nodes: 2 });
    const of = (count: number, checkpoint: StageStep["checkpoint"]): StagePlan["total"] =>
      planned({ length: given(steps(count)), checkpoint }, on).total;
    for (const checkpoint of [saved(null), null, saved(2_000_000)]) {
      let [last, least, most] = [of(1000, checkpoint), Infinity, 0];
      for (let count = 1000; count < 1e8; count = Math.ceil(count * 1.1)) {
        const total = of(count, checkpoint);
        expect(total.hours).toBeGreaterThanOrEqual(last.hours);
        // No step of one tenth more brings a jump: near the last of ten failures it is e^(10 / 10).
        expect(total.hours / last.hours).toBeLessThan(3);
        least = Math.min(least, total.failures);
        most = Math.max(most, total.failures);
        last = total;
      }
      expect(least).toBeLessThan(0.5);
      expect(most).toBeGreaterThan(20);
    }
  });

  it("counts a rare failure as half of what lies between two checkpoints, and a restart", () => {
    const on = cluster({ nodes: 16 });
    const { total } = planned({ length: given(steps(100_000)), checkpoint: saved(100) }, on);
    const busy = total.hours - total.parts.failures - total.parts.start;
    const each = total.parts.failures / total.failures;
    expect(each).toBeGreaterThan(busy / 1000 / 2 + 600 / 3600);
    expect(each).toBeLessThan(busy / 1000 / 2 + 900 / 3600);
  });

  it("gives energy by the device's power, and none of a device that nobody knows", () => {
    const { total } = planned();
    expect(total.energy_kwh).toBeCloseTo((total.gpu_hours * 700 * (10.2 / 5.6)) / 1000, 6);
    const { power: _, ...unknown } = { ...device("h100_sxm"), name: "own" };
    expect(planned({}, cluster({ device: unknown })).total.energy_kwh).toBeNull();
  });
});
