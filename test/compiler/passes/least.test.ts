import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { EngineName, Scalar } from "../../../compiler/pipeline.ts";
import { cluster, device, given, modelRequest, pipeline, settings, stage } from "../../support/pipeline.ts";

interface Problem {
  readonly layers: number;
  readonly width: number;
  readonly engine: EngineName | null;
  readonly pins: Readonly<Record<string, Scalar>>;
  readonly nodes: number;
  readonly ram: number;
  readonly batch: number;
}

/** Half of them name no engine: what is told is of those that were tried, and of Megatron. */
const problems: fc.Arbitrary<Problem> = fc.record({
  layers: fc.constantFrom(24, 31, 48, 80),
  width: fc.constantFrom(4096, 8192),
  engine: fc.constantFrom<(EngineName | null)[]>(null, null, "deepspeed", "megatron"),
  pins: fc.constantFrom<Readonly<Record<string, Scalar>>[]>(
    {},
    { zero_stage: 3 },
    { zero_stage: 0 },
    { offload: "none" },
    { recompute: "none", micro_batch: 4 },
  ),
  nodes: fc.constantFrom(1, 3),
  ram: fc.constantFrom(64e9, 2e12),
  batch: fc.constantFrom(64, 96),
});

const clause =
  /(\d+) devices \(\d+ nodes of 8 \w+\) with engine (\w+)(?: and a batch of (\d+) samples)? would be enough(?:, or (\d+) with engine (\w+) and a batch of (\d+) samples)?(?:; (\d+) with engine (\w+) would probably be \(.*\))?$/;

describe("the number of devices that would hold a model", () => {
  const asked = ({ layers, width, engine, pins, ram, batch }: Problem, nodes: number): ReturnType<typeof plan> => {
    const heads = width / 128;
    const model = modelRequest("llama", { layers, d_model: width, heads, kv_heads: 8, context: 2048 });
    const step = stage(model, {
      ...(engine === null ? {} : { engine: given(engine) }),
      sequence: given(2048),
      batch: given({ unit: "samples", value: batch } as const),
      layout: { given: settings(pins), bounds: new Map() },
    });
    return plan(pipeline(step, cluster({ nodes, ram, device: device("a100_40gb") })));
  };
  const holds = (problem: Problem, nodes: number): boolean => {
    const { plan: made, diagnostics } = asked(problem, nodes);
    return made.stages.length > 0 && diagnostics.length === 0;
  };

  it("is the least of all that holds it with an engine that it speaks of", () => {
    let told = 0;
    fc.assert(
      fc.property(problems, (problem) => {
        const said = asked(problem, problem.nodes)
          .diagnostics.filter(({ code }) => code === "cdr/memory-exceeded" || code === "cdr/memory-host")
          .map(({ message }) => message)
          .join("\n");
        const [, devices, engine, batch, fewer, other, larger, likely, by] = clause.exec(said) ?? [];
        if (devices === undefined || Number(devices) > 400) return;
        told++;
        const nodes = Number(devices) / 8;
        const samples = Number(batch ?? problem.batch);
        expect(holds({ ...problem, engine: engine as EngineName, batch: samples }, nodes)).toBe(true);
        if (likely !== undefined) {
          const { plan: made, diagnostics } = asked({ ...problem, engine: by as EngineName }, Number(likely) / 8);
          expect(made.stages).toHaveLength(1);
          expect(diagnostics.map(({ code }) => code)).toEqual(["cdr/memory-tight"]);
        }
        const least = fewer === undefined ? nodes : Number(fewer) / 8;
        if (fewer !== undefined)
          expect(holds({ ...problem, engine: other as EngineName, batch: Number(larger) }, least)).toBe(true);
        const tried = problem.engine === null ? (["deepspeed", "megatron"] as const) : [problem.engine];
        const isHere = said.includes("on these devices it fits");
        for (let count = 1; count < nodes; count++) {
          const rounded = 8 * count * Math.ceil(problem.batch / (8 * count));
          for (const one of tried) {
            // What the devices that there are hold is said before.
            if (count === problem.nodes && isHere) continue;
            if (batch === undefined) expect(holds({ ...problem, engine: one }, count)).toBe(false);
            if (count < least) expect(holds({ ...problem, engine: one, batch: rounded }, count)).toBe(false);
          }
        }
      }),
      { numRuns: 36, seed: 5 },
    );
    expect(told).toBeGreaterThan(5);
  });
});
