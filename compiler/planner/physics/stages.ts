/** Which blocks a pipeline rank runs. */
import type { Engine } from "./engine.ts";
import type { Layout } from "./layout.ts";
import { matricesOf } from "./matrices.ts";
import type { Block, Shape } from "./shape.ts";
import { runsOf } from "./tally.ts";

/** Equal blocks of one stage, counted. */
export interface Share {
  readonly block: Block;
  readonly count: number;
}

/** Neighbours that run the same share one list. */
export type Stages = readonly (readonly Share[])[];

/** A search asks for the same few cuts of a model thousands of times. */
const known = new WeakMap<Shape, Map<string | readonly number[], Stages>>();

export function stagesOf(shape: Shape, layout: Layout, engine: Pick<Engine, "partition">): Stages {
  const { pipeline, stages, pieces, ends } = layout;
  const key =
    pieces ?? `${engine.partition} ${pipeline} ${stages?.join() ?? ""} ${ends?.embedding ?? 0} ${ends?.loss ?? 0}`;
  const cuts = known.get(shape) ?? new Map<string | readonly number[], Stages>();
  known.set(shape, cuts);
  const found = cuts.get(key) ?? cut(shape, layout, engine);
  cuts.set(key, found);
  return found;
}

function cut(shape: Shape, layout: Layout, engine: Pick<Engine, "partition">): Stages {
  const { blocks } = shape;
  const counts =
    layout.pieces ??
    layout.stages ??
    (engine.partition === "work" ? byWork(shape, layout).counts : even(blocks.length, layout));
  const runs = runsOf(shape);
  const tallies = Array.from({ length: layout.pipeline }, () => new Map<Block, number>());
  let at = 0;
  let begun = 0;
  counts.forEach((count, piece) => {
    const tally = tallies[piece % layout.pipeline];
    for (let left = count; left > 0;) {
      const run = runs[at];
      if (run === undefined || tally === undefined) break;
      const taken = Math.min(left, run.count - begun);
      tally.set(run.block, (tally.get(run.block) ?? 0) + taken);
      left -= taken;
      begun += taken;
      if (begun < run.count) continue;
      at++;
      begun = 0;
    }
  });
  const stages: Share[][] = [];
  for (const tally of tallies) {
    const shares = [...tally].map(([block, n]) => ({ block, count: n }));
    const before = stages.at(-1);
    stages.push(before !== undefined && isAlike(before, shares) ? before : shares);
  }
  return stages;
}

const isAlike = (a: readonly Share[], b: readonly Share[]): boolean =>
  a.length === b.length && a.every(({ block, count }, at) => block === b[at]?.block && count === b[at]?.count);

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
 * By the products of layers and head (nanotron, `models/base.py`, `build_model`). Embedding, layers, last norm, head,
 * the cast of its logits and the loss are dealt in this order, and a stage is full once the sum of all so far has reached
 * its share of the whole (peaks and times of sixteen layers whose head weighs four say that an equal sum is enough). So the head may stand before the last stage, and late stages may get nothing.
 */
function byWork(shape: Shape, { pipeline }: Layout): { readonly counts: readonly number[]; readonly given: number } {
  const { hidden, vocab, blocks } = shape;
  const works = blocks.map((block) =>
    matricesOf(shape, block).reduce((sum, { inputs, outputs }) => sum + inputs * outputs, 0),
  );
  const ends = [0, vocab * hidden, 0, 0];
  const total = works.reduce((sum, work) => sum + work, 0) + vocab * hidden;
  const counts = Array.from({ length: pipeline }, () => 0);
  let stage = 0;
  let given = 0;
  let done = 0;
  [0, ...works, ...ends].forEach((work, at) => {
    if (at > 0 && at <= works.length) counts[stage] = (counts[stage] ?? 0) + 1;
    given = stage;
    done += work;
    if (done >= (total * (stage + 1)) / pipeline && stage < pipeline - 1) stage++;
  });
  return { counts, given };
}

/** Does a stage own nothing to run? Engines that deal by work leave late stages empty when there are many. */
export function emptyStage(shape: Shape, layout: Layout, engine: Pick<Engine, "partition">): boolean {
  if (engine.partition === "work") return byWork(shape, layout).given < layout.pipeline - 1;
  return shape.blocks.length < layout.pipeline * layout.chunks;
}
