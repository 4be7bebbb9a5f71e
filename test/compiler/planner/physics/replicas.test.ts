/** Which ranks exchange gradients and weights with which, where groups hold a copy each. */
import { expect, test } from "vitest";
import { collectiveSeconds } from "../../../../compiler/planner/physics/collective.ts";
import { generic } from "../../../../compiler/planner/physics/constants/index.ts";
import { deepspeed } from "../../../../compiler/planner/physics/engines/deepspeed.ts";
import { fsdp2 } from "../../../../compiler/planner/physics/engines/fsdp2.ts";
import type { Layout } from "../../../../compiler/planner/physics/layout.ts";
import { stateBytes } from "../../../../compiler/planner/physics/states.ts";
import { timeOf } from "../../../../compiler/planner/physics/time.ts";
import { gpt, plain, round } from "./cases.ts";

const shape = gpt(8, 4096, 32);
const constants = { ...generic, near_latency: 0, far_latency: 0, congestion: 0, data_hidden: 0 };
const torch = fsdp2("bf16", 3, 32);
const zero3 = deepspeed({ format: "bf16", zero: 3, offload: "none", ranks: 32, bucket: 5e8 });

function exchange(layout: Partial<Layout>, engine = torch, network = round.network, count = 1): number {
  const spread: Layout = { ...plain, data: 32, zero: 3, ...layout };
  const batch = { micro: 1, count, sequence: 2048 };
  return timeOf(shape, spread, batch, engine, { ...round, network }, constants).parts.data_comm;
}

test.each([2, 3] as const)(
  "copies of a model sum their shards of the gradients over the network: stage %i",
  (zero) => {
    const one = (network: number, count = 1): number => exchange({ shard: 8, zero }, torch, network, count);
    const slowed = one(1e9) - one(10e9);
    expect(slowed).toBeGreaterThan(0);
    // 12 h^2 + 13 h parameters of each layer and the table, two norms of the end beside: an eighth of each, on four nodes.
    const h = shape.hidden;
    const gradients = 2 * (8 * (12 * h * h + 13 * h) + shape.vocab * h + 2048 * h + 2 * h);
    const at = (network: number): number =>
      collectiveSeconds("reduce", gradients / 8, { ranks: 4, near: 1 }, { ...round, network }, constants);
    expect(slowed / (at(1e9) - at(10e9))).toBeCloseTo(1, 2);
    // Every backward pass sums them.
    expect((one(1e9, 4) - one(10e9, 4)) / slowed).toBeCloseTo(4, 6);
  },
);

test("one group of all ranks is no hybrid", () => {
  expect(exchange({ shard: 32 })).toBeCloseTo(exchange({}), 12);
});

test("a second copy of the weights spares the network one gather of three, and takes room", () => {
  const saved = exchange({}, zero3) - exchange({ second: 8 }, zero3);
  expect(saved).toBeGreaterThan(0);
  expect(saved).toBeLessThan(exchange({}, zero3) / 3);
  const held = { dense: 1000, expert: 0 };
  const weights = (layout: Partial<Layout>): number =>
    stateBytes(held, { ...plain, data: 32, zero: 3, ...layout }, zero3).weights;
  expect(weights({ second: 8 }) - weights({})).toBeCloseTo((2 * 1000) / 8);
  expect(weights({ second: 8, zero: 2 })).toBe(weights({ zero: 2 }));
});

test("experts of a group that holds a copy are shared out over that group", () => {
  const held = { dense: 0, expert: 1000 };
  const layout: Layout = { ...plain, data: 64, shard: 8, zero: 3 };
  expect(stateBytes(held, layout, torch).weights).toBeCloseTo((4 * 1000) / 8);
});
