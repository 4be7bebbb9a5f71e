import { expect, test } from "vitest";
import { activationBytes } from "../../../../compiler/planner/physics/activations.ts";
import { megatron } from "../../../../compiler/planner/physics/engines/megatron.ts";
import { generic } from "../../../../compiler/planner/physics/constants/index.ts";
import { loadOf } from "../../../../compiler/planner/physics/load.ts";
import type { Block, Shape } from "../../../../compiler/planner/physics/shape.ts";
import { timeOf } from "../../../../compiler/planner/physics/time.ts";
import { gpt, plain, round } from "./cases.ts";

const many = { experts: 64, top_k: 6 };
const uneven = { excess: 0.6 };

test("a rank with one expert is as full as that, and four layers deviate half as much as one", () => {
  expect(loadOf(uneven, many, { expert: 64 }, 1)).toBeCloseTo(1.6);
  expect(loadOf(uneven, many, { expert: 8 }, 4) - 1).toBeCloseTo((loadOf(uneven, many, { expert: 8 }, 1) - 1) / 2);
});

// Means of 4,000 draws of 150 tokens that choose without replacement, where 64 experts of which they choose six have 1.64.
test.each([
  [64, 6, 8, 1.13],
  [8, 2, 8, 1.22],
  [8, 2, 4, 1.11],
  [8, 2, 2, 1.04],
  [128, 8, 8, 1.12],
  [16, 1, 16, 1.61],
])("%i experts of which tokens choose %i, on %i ranks", (experts, top_k, expert, load) => {
  const drawn = loadOf({ excess: 0.64 }, { experts, top_k }, { expert }, 1);
  expect(Math.abs(drawn - load)).toBeLessThan(0.02);
});

test("whoever takes all experts deals evenly", () => {
  expect(loadOf(uneven, { experts: 8, top_k: 8 }, { expert: 8 }, 1)).toBe(1);
});

test("a rank with all experts has all tokens, and nobody said how uneven is even", () => {
  expect(loadOf(uneven, many, { expert: 1 }, 1)).toBe(1);
  expect(loadOf(undefined, many, { expert: 64 }, 1)).toBe(1);
});

test("a capacity is the most, and what it is padded to", () => {
  expect(loadOf({ ...uneven, capacity: 1.1 }, many, { expert: 64 }, 1)).toBe(1.1);
  expect(loadOf({ ...uneven, capacity: 2 }, many, { expert: 64 }, 1)).toBeCloseTo(1.6);
  expect(loadOf({ ...uneven, capacity: 2, padded: true }, many, { expert: 64 }, 1)).toBe(2);
});

const block: Block = { experts: { experts: 64, top_k: 6, width: 512, gated: true, shared: 0 } };
const shape: Shape = { ...gpt(8, 1024, 8), blocks: Array.from({ length: 8 }, () => block) };
const layout = { ...plain, data: 64, expert: 64 };
const batch = { micro: 1, count: 4, sequence: 2048 };

test("copies of a token and what experts keep of them grow with the load, the router does not", () => {
  const bytes = (routing: object): number =>
    activationBytes(shape, block, layout, batch, { ...megatron, ...routing });
  const more = bytes({ routing: uneven }) - bytes({});
  // Two bytes of 1024 come and go, and six of 512 stay, for each of six experts.
  expect(more).toBeCloseTo(0.6 * 2048 * 6 * (4 * 1024 + 6 * 512));
});

test("a step waits for the fullest rank's products and messages", () => {
  const parts = (routing: object) =>
    timeOf(shape, layout, batch, { ...megatron, ...routing }, round, { ...generic, host: 0, near_latency: 0 }).parts;
  const [even, full] = [parts({}), parts({ routing: uneven })];
  expect(full.compute).toBeGreaterThan(even.compute);
  expect(full.expert_comm).toBeGreaterThan(1.3 * even.expert_comm);
});
