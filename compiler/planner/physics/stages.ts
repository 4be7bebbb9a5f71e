/** Which blocks a pipeline rank runs. */
import type { Engine } from "./engine.ts";
import type { Layout } from "./layout.ts";
import { matricesOf } from "./matrices.ts";
import type { Block, Shape } from "./shape.ts";

/** Equal blocks of one stage, counted. */
export interface Share {
  readonly block: Block;
  readonly count: number;
}

export function stagesOf(
  shape: Shape,
  layout: Layout,
  engine: Pick<Engine, "partition">,
): readonly (readonly Share[])[] {
  const { blocks } = shape;
  const counts = layout.stages ?? (engine.partition === "work" ? byWork(shape, layout) : even(blocks.length, layout));
  const stages: Share[][] = [];
  let at = 0;
  for (const count of counts) {
    const tally = new Map<Block, number>();
    for (const block of blocks.slice(at, at + count)) tally.set(block, (tally.get(block) ?? 0) + 1);
    at += count;
    stages.push([...tally].map(([block, n]) => ({ block, count: n })));
  }
  return stages;
}

/** What does not divide goes one each to the first stages. Where the ends count as layers, they get so many fewer. */
function even(layers: number, { pipeline, ends }: Layout): number[] {
  const first = ends?.embedding ?? 0;
  const last = ends?.loss ?? 0;
  const all = layers + first + last;
  const base = Math.floor(all / pipeline);
  const counts = Array.from({ length: pipeline }, (_, stage) => base + (stage < all % pipeline ? 1 : 0));
  counts[0] = Math.max(0, (counts[0] ?? 0) - first);
  counts[pipeline - 1] = Math.max(0, (counts[pipeline - 1] ?? 0) - last);
  return counts;
}

/**
 * By the products of layers and head: a stage takes blocks until their sum passes its share (nanotron,
 * engine of pipeline blocks in `models/base.py`). Stages that get nothing stay empty.
 */
function byWork(shape: Shape, { pipeline }: Layout): number[] {
  const works = shape.blocks.map((block) =>
    matricesOf(shape, block).reduce((sum, { inputs, outputs }) => sum + inputs * outputs, 0),
  );
  const total = works.reduce((sum, work) => sum + work, 0) + shape.vocab * shape.hidden;
  const counts = Array.from({ length: pipeline }, () => 0);
  let stage = 0;
  let done = 0;
  for (const work of works) {
    counts[stage] = (counts[stage] ?? 0) + 1;
    done += work;
    if (done > (total * (stage + 1)) / pipeline && stage < pipeline - 1) stage++;
  }
  return counts;
}

/** Does a stage own nothing to train? Engines that deal blocks by work leave late stages empty when there are many. */
export function emptyStage(shape: Shape, layout: Layout, engine: Pick<Engine, "partition">): boolean {
  const stages = stagesOf(shape, layout, engine);
  if (engine.partition === "even") return shape.blocks.length < layout.pipeline * layout.chunks;
  const last = stages.findLastIndex((stage) => stage.length > 0);
  // The head stands alone after the last layer, or with it.
  return last < layout.pipeline - 2 || stages.slice(0, last).some((stage) => stage.length === 0);
}
