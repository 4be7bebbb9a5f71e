/** What Muon's Newton-Schulz steps add to a step. */
import { expect, test } from "vitest";
import { generic } from "../../../../compiler/planner/physics/constants/index.ts";
import { megatron } from "../../../../compiler/planner/physics/engines/megatron.ts";
import type { Layout } from "../../../../compiler/planner/physics/layout.ts";
import { orthogonalFlops } from "../../../../compiler/planner/physics/orthogonal.ts";
import { timeOf } from "../../../../compiler/planner/physics/time.ts";
import type { Engine } from "../../../../compiler/planner/physics/engine.ts";
import { gpt, plain, round } from "./cases.ts";

const shape = gpt(4, 8192, 64, 2048);
const exact = { ...generic, products: 1, floor: 0, memory: 1 };

const optimizerOf = (layout: Partial<Layout>, rest: Partial<Engine>): number =>
  timeOf(
    shape,
    { ...plain, ...layout },
    { micro: 1, count: 1, sequence: 2048 },
    { ...megatron, ...rest },
    round,
    exact,
  ).parts.optimizer;

const added = (layout: Partial<Layout>, rest: Partial<Engine> = {}): number =>
  optimizerOf(layout, { ...rest, orthogonalised: 5 }) - optimizerOf(layout, rest);

/** Four square matrices of attention and two of the feed-forward, four times as long, in four layers. */
const flops = 5 * 4 * (4 * orthogonalFlops(8192, 8192) + 2 * orthogonalFlops(8192, 4 * 8192));

test("six FLOPs to the cube of a square matrix's side, four more for each that it is longer", () => {
  expect(orthogonalFlops(10, 10)).toBe(6000);
  expect(orthogonalFlops(10, 20)).toBe(10_000);
  expect(orthogonalFlops(20, 10)).toBe(10_000);
});

test("every step passes each matrix of the blocks three times", () => {
  // Waves of 100 processors are not full with 64 x 64 tiles, nor with 64 x 256.
  expect(added({}) / (flops / round.flops.bf16)).toBeGreaterThan(1);
  expect(added({}) / (flops / round.flops.bf16)).toBeLessThan(1.03);
  expect(optimizerOf({}, { orthogonalised: 10 }) - optimizerOf({}, {})).toBeCloseTo(2 * added({}), 6);
});

test("replicas repeat them unless the optimizer is distributed, by whole matrices", () => {
  const whole = added({});
  expect(added({ data: 8 })).toBeCloseTo(whole, 9);
  expect(added({ data: 8, zero: 1 })).toBeCloseTo(whole / 8, 9);
  const one = (5 * orthogonalFlops(8192, 4 * 8192)) / round.flops.bf16;
  expect(added({ data: 512, zero: 1 }) / one).toBeGreaterThan(1);
  expect(added({ data: 512, zero: 1 }) / one).toBeLessThan(1.03);
});

test("tensor ranks work on their own parts, or on wholes that they gather", () => {
  const parts = added({ tensor: 2 });
  expect(parts).toBeLessThan(added({}) / 2);
  expect(added({ tensor: 2 }, { blockwise: false })).toBeCloseTo(added({}), 9);
});
