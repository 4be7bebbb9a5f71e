import { expect, test } from "vitest";
import { activationBytes } from "../../../../compiler/planner/physics/activations.ts";
import { megatron } from "../../../../compiler/planner/physics/engines/megatron.ts";
import { generic } from "../../../../compiler/planner/physics/constants/index.ts";
import { loadOf } from "../../../../compiler/planner/physics/load.ts";
import type { Block, Shape } from "../../../../compiler/planner/physics/shape.ts";
import { timeOf } from "../../../../compiler/planner/physics/time.ts";
import { gpt, plain, round } from "./cases.ts";

const many = { experts: 64 };
const uneven = { excess: 0.6 };

test("a rank with one expert is as full as that, one with eight a quarter of it, four layers half of that", () => {
  expect(loadOf(uneven, many, { expert: 64 }, 1)).toBeCloseTo(1.6);
  // ln 8 / ln 64 is a half, of eight experts: sqrt(1 / 16).
  expect(loadOf(uneven, many, { expert: 8 }, 1)).toBeCloseTo(1.15);
  expect(loadOf(uneven, many, { expert: 8 }, 4)).toBeCloseTo(1.075);
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

const block: Block = { experts: { experts: 64, top_k: 8, width: 512, gated: true, shared: 0 } };
const shape: Shape = { ...gpt(8, 1024, 8), blocks: Array.from({ length: 8 }, () => block) };
const layout = { ...plain, data: 64, expert: 64 };
const batch = { micro: 1, count: 4, sequence: 2048 };

test("copies of a token and what experts keep of them grow with the load, the router does not", () => {
  const bytes = (routing: object): number =>
    activationBytes(shape, block, layout, batch, { ...megatron, ...routing });
  const more = bytes({ routing: uneven }) - bytes({});
  // Two bytes of 1024 come and go, and six of 512 stay, for each of eight experts.
  expect(more).toBeCloseTo(0.6 * 2048 * 8 * (4 * 1024 + 6 * 512));
});

test("a step waits for the fullest rank's products and messages", () => {
  const parts = (routing: object) =>
    timeOf(shape, layout, batch, { ...megatron, ...routing }, round, { ...generic, host: 0, near_latency: 0 }).parts;
  const [even, full] = [parts({}), parts({ routing: uneven })];
  expect(full.compute).toBeGreaterThan(even.compute);
  expect(full.expert_comm).toBeGreaterThan(1.3 * even.expert_comm);
});
