import { expect, test } from "vitest";
import { blockTime } from "../../../../compiler/planner/physics/block-time.ts";
import { generic } from "../../../../compiler/planner/physics/constants/index.ts";
import { megatron } from "../../../../compiler/planner/physics/engines/megatron.ts";
import { gpt, plain, round } from "./cases.ts";

const shape = gpt(4, 4096, 32);

/** Seconds of a block whose ranks have as many tokens each, however many share a sequence. */
function seconds(context: number, constants = generic): number {
  const [block] = shape.blocks;
  if (block === undefined) throw new Error("no block");
  const layout = { ...plain, context };
  const batch = { micro: context, count: 1, sequence: 4096 };
  const { compute, ring } = blockTime(shape, block, layout, batch, megatron, round, constants);
  return compute + ring;
}

test("ranks that share sequences take longer for as many tokens, the longer the more of them share one", () => {
  const times = [1, 2, 4, 8].map((context) => seconds(context, { ...generic, host: 0 }));
  times.slice(1).forEach((time, at) => expect(time).toBeGreaterThan(times[at] ?? 0));
});

test("a core that lasts however long hides a ring no better than a backward pass hides gradients", () => {
  const slow = { ...generic, host: 0, core: 1e-4, data_hidden: 0.5 };
  const ring = (data_hidden: number): number =>
    seconds(4, { ...slow, data_hidden }) - seconds(4, { ...slow, data_hidden: 0.98 });
  expect(ring(0.5)).toBeGreaterThan(0);
  expect(ring(0.1)).toBeGreaterThan(1.5 * ring(0.5));
});
