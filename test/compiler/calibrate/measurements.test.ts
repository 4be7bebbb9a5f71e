import { expect, test } from "vitest";
import { saidBy } from "../../../compiler/calibrate/measurements.ts";
import { measuredOf } from "../../../compiler/calibrate/observation.ts";

test("rates are those of one core, of collectives the long ones give the link and the short ones the latency", () => {
  const said = saidBy({
    device: "cpu",
    torch: "2.15",
    threads: 2,
    world: 2,
    cases: [
      { kind: "product", dtype: "float32", rows: 1000, inputs: 1000, outputs: 1000, seconds: 0.01 },
      { kind: "product", dtype: "bfloat16", rows: 1000, inputs: 1000, outputs: 1000, seconds: 0.004 },
      { kind: "memory", bytes: 1e9, seconds: 0.1 },
      { kind: "attention", batch: 2, heads: 4, sequence: 500, width: 50, seconds: 0.02 },
      { kind: "collective", which: "reduce", bytes: 4096, ranks: 2, seconds: 0.0004 },
      { kind: "collective", which: "reduce", bytes: 32e6, ranks: 2, seconds: 0.032 },
      { kind: "collective", which: "gather", bytes: 32e6, ranks: 2, seconds: 0.016 },
    ],
  });
  expect(said).toEqual({ fp32: 100e9, bf16: 250e9, attention: 15e9, link: 1e9, latency: 0.0002 });
});

test("one process talks to nobody", () => {
  const cases = [{ kind: "product", dtype: "float32", rows: 10, inputs: 10, outputs: 10, seconds: 1e-6 }] as const;
  expect(saidBy({ device: "cpu", torch: "2.15", threads: 1, world: 1, cases })).toEqual({ fp32: 2e9 });
});

const row = (scale: number) => ({
  tokens_per_second: 1000 / scale,
  memory: 1e9,
  phases: { forward: 5 * scale, backward: 9 * scale, optimizer: 1, other: 1 },
  computed: { forward: 0.3, backward: 0.6, optimizer: 0.02, other: 0.01 },
});

test("the first steps do not count, and what a thread computed tells a busy machine from a slow one", () => {
  const measured = measuredOf([row(50), row(20), row(1), row(3), row(1.5)], 1000, true);
  expect(measured?.step).toBe(1);
  expect(measured?.parts?.["compute"]).toBeCloseTo(0.9);
  expect(measuredOf([row(1), row(1)], 1000, true)).toBeNull();
  const { computed: _, ...wall } = row(1);
  expect(measuredOf([wall, wall, wall], 1000, true)?.parts?.["compute"]).toBe(14);
  // Of several ranks the wall's clock has waiting in it.
  expect(measuredOf([wall, wall, wall], 1000, false)?.parts).toBeNull();
});
