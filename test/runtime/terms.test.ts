import { expect, test } from "vitest";
import { plannedStage, termsOf } from "../../runtime/report/terms.ts";
import { metricOf, type Metric } from "../../runtime/watch/lines.ts";

const planned = plannedStage.parse({
  memory: { peak: 1000, parts: { weights: 100, optimizer: 200, activations: 500, runtime: 200 }, error: 0.1 },
  time: { step: 2, parts: { compute: 1.2, data_comm: 0.3, optimizer: 0.4, other: 0.1 }, error: null },
});

const line = (step: number, forward: number): Metric => {
  const row = metricOf(
    JSON.stringify({
      step,
      attempt: 0,
      memory: 1100 + step,
      held: { runtime: 50, weights: 100, optimizer: 210 },
      phases: { forward, backward: 1, optimizer: 0.5, other: 0.1 },
    }),
  );
  if (row === null) throw new Error("no metric");
  return row;
};

test("each term of the plan stands beside what was measured of it, and the parts add up to their whole", () => {
  const terms = termsOf(planned, [line(1, 30), line(2, 9), line(3, 1), line(4, 1)]);
  const of = (name: string) => terms.find((term) => term.name === name);
  expect(of("step")).toMatchObject({ planned: 2, measured: 2.6, error: null });
  expect(of("forward, backward and communication")).toMatchObject({ planned: 1.5, measured: 2 });
  expect(of("memory per rank")).toMatchObject({ planned: 1000, measured: 1104, error: 0.1 });
  expect(of("weights")).toMatchObject({ planned: 100, measured: 100 });
  for (const unit of ["seconds", "bytes"] as const) {
    const whole = terms.find((term) => term.unit === unit);
    const parts = terms.filter((term) => term.unit === unit && term !== whole);
    for (const side of ["planned", "measured"] as const)
      expect(parts.reduce((sum, part) => sum + part[side], 0)).toBeCloseTo(whole?.[side] ?? 0);
  }
});

test("a run of an older trainer has its step and its peak", () => {
  const rows = [1, 2, 3, 4].map((step) => metricOf(JSON.stringify({ step, seconds: 1.5 * step, memory: 900 })));
  const terms = termsOf(
    planned,
    rows.flatMap((row) => row ?? []),
  );
  expect(terms.map(({ name, measured }) => [name, measured])).toEqual([
    ["step", 1.5],
    ["memory per rank", 900],
  ]);
});

test("a plan that says nothing, or a run without a step, has no terms", () => {
  expect(termsOf(plannedStage.parse({ memory: {}, time: {} }), [line(1, 1)])).toEqual([]);
  expect(termsOf(planned, [])).toEqual([]);
});
