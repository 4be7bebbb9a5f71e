/** The fullest stage, of those alone of which one may be it and of all. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { megatron } from "../../../../compiler/planner/physics/engines/megatron.ts";
import type { Layout } from "../../../../compiler/planner/physics/layout.ts";
import { memoryOf, type RankMemory } from "../../../../compiler/planner/physics/memory.ts";
import type { Block, Shape } from "../../../../compiler/planner/physics/shape.ts";
import { gpt, plain } from "./cases.ts";

const [narrow] = gpt(1, 1024, 8).blocks as readonly [Block];
const [wide] = gpt(1, 2048, 16).blocks as readonly [Block];

/** How layers are dealt to so many stages and chunks, with numbers that were drawn. */
const cuts: Readonly<Record<string, (pieces: readonly number[], stages: number) => Partial<Layout>>> = {
  even: () => ({}),
  ends: () => ({ ends: { embedding: 1, loss: 1 } }),
  stages: (pieces, stages) => ({ stages: pieces.slice(0, stages) }),
  pieces: (pieces) => ({ pieces }),
};

const fullestOf = (ranks: readonly RankMemory[]): RankMemory =>
  ranks.reduce((most, one) => (one.peak > most.peak ? one : most));

it("is the same, whatever the schedule, the cut and the layers", () => {
  let [few, all] = [0, 0];
  fc.assert(
    fc.property(
      fc.record({
        schedule: fc.constantFrom("gpipe", "1f1b", "zero-bubble"),
        pipeline: fc.constantFrom(1, 2, 4, 8),
        chunks: fc.constantFrom(1, 2, 3),
        recompute: fc.constantFrom("none", "selective", "full"),
        tensor: fc.constantFrom(1, 2),
        zero: fc.constantFrom(0, 1),
        turn: fc.constantFrom(undefined, 3),
      }),
      fc.constantFrom(...Object.values(cuts)),
      fc.integer({ min: 1, max: 24 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 24, maxLength: 24 }),
      fc.constantFrom([narrow], [narrow, narrow, wide], [narrow, wide]),
      ({ turn, ...split }, cut, count, drawn, pattern) => {
        const pieces = drawn.slice(0, split.pipeline * split.chunks);
        const said = cut(pieces, split.pipeline);
        const layers = (said.stages ?? pieces).reduce((sum, each) => sum + each, 0);
        const shape: Shape = {
          ...gpt(1, 1024, 8, 1024),
          blocks: Array.from({ length: layers }, (_, at) => pattern[at % pattern.length] ?? narrow),
        };
        const layout: Layout = { ...plain, ...split, ...said, ...(turn === undefined ? {} : { turn }), data: 8 };
        const batch = { micro: 2, count, sequence: 2048 };
        const constants = { slack: 1.05, runtime: 1e9 };
        const found = memoryOf(shape, layout, batch, megatron, constants, "fullest");
        const ranks = memoryOf(shape, layout, batch, megatron, constants);
        expect(fullestOf(found)).toEqual(fullestOf(ranks));
        few += found.length;
        all += ranks.length;
      },
    ),
    { numRuns: 3000, seed: 11 },
  );
  expect(few).toBeLessThan(0.9 * all);
});
