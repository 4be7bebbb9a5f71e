import { expect, test } from "vitest";
import { constantsOf } from "../../../../compiler/planner/physics/constants/index.ts";
import { alone, type Layout } from "../../../../compiler/planner/physics/layout.ts";
import { burdenOf, plainest, resolution, riskOf } from "../../../../compiler/planner/search/objective.ts";

const piped: Layout = { ...alone, pipeline: 4, tensor: 8, data: 2 };
const risk = (engine: string, layout: Layout, count = 16): number =>
  riskOf(32, layout, count, { domain: 8 }, constantsOf(engine, "H100"), 0.4);

test("a program that nobody measured over a network risks more of each message than one that was", () => {
  expect(risk("some other", piped)).toBeGreaterThan(50 * risk("megatron", piped));
  expect(risk("megatron", piped)).toBeGreaterThan(0);
});

test("what stays within a node or sends nothing between stages risks nothing", () => {
  expect(risk("some other", { ...piped, tensor: 1, data: 1 })).toBe(0);
  expect(risk("some other", { ...piped, pipeline: 1, data: 8 })).toBe(0);
});

test("more messages risk more: deeper pipelines, more chunks, more micro-batches", () => {
  const least = risk("some other", piped);
  for (const more of [risk("some other", { ...piped, chunks: 2 }), risk("some other", piped, 32)])
    expect(more).toBeGreaterThan(least);
  expect(risk("some other", { ...piped, pipeline: 8, data: 1 })).toBeGreaterThan(least);
});

test("where messages were seen to stall on some runs a choice counts the odds, and on a node there are none", () => {
  const stalling = { ...constantsOf("megatron", "H100"), stall: 1 };
  const on = (nodes: number): number =>
    riskOf(32, { ...piped, data: nodes / 4 }, 16, { domain: 8 }, stalling, 0.4) /
    riskOf(32, { ...piped, data: nodes / 4 }, 16, { domain: 8 }, { ...stalling, stall: 0 }, 0.4);
  expect(on(8)).toBeGreaterThan(10);
  expect(on(16)).toBeGreaterThan(on(8));
  expect(riskOf(32, { ...piped, tensor: 1, data: 1 }, 16, { domain: 8 }, stalling, 0.4)).toBe(0);
});

test("of objectives as good as the least the plainest is taken, and of those beyond none", () => {
  const of = (objective: number, burden: number) => ({ objective, burden });
  const near = of(1 + resolution / 2, 1);
  expect(plainest([of(1, 5), near, of(1 + 2 * resolution, 0)])).toBe(near);
  const first = of(1, 1);
  expect(plainest([first, of(1, 1)])).toBe(first);
  expect(plainest([])).toBeNull();
});

test("a sequence that is shared out is less plain than as many tensor ranks, and running again less than either", () => {
  const tensor = burdenOf({ ...alone, tensor: 4, sequence_parallel: true });
  const context = burdenOf({ ...alone, context: 4 });
  expect(context).toBeGreaterThan(tensor);
  expect(burdenOf({ ...alone, tensor: 2, context: 2, sequence_parallel: true })).toBeGreaterThan(tensor);
  expect(burdenOf({ ...alone, recompute: "full" })).toBeGreaterThan(burdenOf({ ...alone, tensor: 2 }));
});
