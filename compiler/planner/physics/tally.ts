import type { Block, Shape } from "./shape.ts";

export interface Count {
  readonly block: Block;
  readonly count: number;
}

const counted = new WeakMap<Shape, readonly Count[]>();
const walked = new WeakMap<Shape, readonly Count[]>();

/** The kinds of block that a model has, in the order of their first. Models have few, however many layers they have. */
export function kindsOf(shape: Shape): readonly Count[] {
  let found = counted.get(shape);
  if (found === undefined) {
    const tally = new Map<Block, number>();
    for (const { block, count } of runsOf(shape)) tally.set(block, (tally.get(block) ?? 0) + count);
    counted.set(shape, (found = [...tally].map(([block, count]) => ({ block, count }))));
  }
  return found;
}

/** The same from the first layer to the last: equal blocks that follow one another. */
export function runsOf(shape: Shape): readonly Count[] {
  let found = walked.get(shape);
  if (found === undefined) {
    const runs: { block: Block; count: number }[] = [];
    for (const block of shape.blocks) {
      const last = runs.at(-1);
      if (last?.block === block) last.count++;
      else runs.push({ block, count: 1 });
    }
    walked.set(shape, (found = runs));
  }
  return found;
}
