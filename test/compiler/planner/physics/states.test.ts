import { expect, test } from "vitest";
import { megatron } from "../../../../compiler/planner/physics/engines/megatron.ts";
import type { Layout } from "../../../../compiler/planner/physics/layout.ts";
import { blockParameters } from "../../../../compiler/planner/physics/parameters.ts";
import { stateBytes } from "../../../../compiler/planner/physics/states.ts";
import { gpt3, plain } from "./cases.ts";

const total = ({ weights, gradients, optimizer }: ReturnType<typeof stateBytes>): number =>
  weights + gradients + optimizer;

// Megatron-Core's table for bf16 weights and fp32 gradients: 18, or 6 + 12 / d with the distributed optimizer.
test.each([
  [0, 18],
  [1, 6 + 12 / 8],
  [2, 2 + 16 / 8],
  [3, 18 / 8],
] as const)("ZeRO %i keeps %f bytes a parameter on 8 ranks", (zero, bytes) => {
  const layout: Layout = { ...plain, data: 8, zero };
  expect(total(stateBytes({ dense: 1000, expert: 0 }, layout, megatron))).toBeCloseTo(1000 * bytes);
});

test("experts are sharded over the ranks that hold the same ones", () => {
  const layout: Layout = { ...plain, data: 8, expert: 4, zero: 1 };
  expect(total(stateBytes({ dense: 0, expert: 1000 }, layout, megatron))).toBeCloseTo(1000 * (6 + 12 / 2));
});

test("hybrid sharding shards over its own group", () => {
  const layout: Layout = { ...plain, data: 64, shard: 8, zero: 3 };
  expect(total(stateBytes({ dense: 1000, expert: 0 }, layout, megatron))).toBeCloseTo((1000 * 18) / 8);
});

test("a block of GPT-3 175B has 12 h^2 + 13 h parameters", () => {
  const [block] = gpt3.blocks;
  const h = gpt3.hidden;
  expect(block && blockParameters(gpt3, block, plain).dense).toBe(12 * h * h + 13 * h);
});

test("tensor parallelism cuts matrices and the biases of their outputs, not norms", () => {
  const [block] = gpt3.blocks;
  const h = gpt3.hidden;
  // QKV and first feed-forward biases are cut (7 h), two output biases and two norms are whole (6 h).
  expect(block && blockParameters(gpt3, block, { ...plain, tensor: 8 }).dense).toBe((12 * h * h + 7 * h) / 8 + 6 * h);
});
