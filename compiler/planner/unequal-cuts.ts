/** Cuts of a pipeline whose stages are not equally deep, however their tables are counted. */
import { tables, type PipelineCut } from "./cuts.ts";

/** The ones that leave no stage as deep come first. */
export function unequalCuts(layers: number, stages: number, chunks: number): readonly PipelineCut[] {
  const cuts = [chunks === 1 ? endsOf(layers, stages) : null, dealt(layers, stages, chunks)];
  return byDepth(
    cuts.filter((cut) => cut !== null),
    stages,
  );
}

type Unequal = Extract<PipelineCut, { kind: "ends" | "pieces" }>;

/** Those that leave no stage as deep first. */
function byDepth<Cut extends Unequal>(cuts: readonly Cut[], stages: number): readonly Cut[] {
  const measured = cuts.map((cut) => ({ cut, depth: deepestOf(cut, stages) }));
  return measured.sort((a, b) => a.depth - b.depth).map(({ cut }) => cut);
}

function deepestOf(cut: Unequal, stages: number): number {
  if (cut.kind === "ends") return Math.max(cut.first, cut.middle, cut.last);
  const depths = new Float64Array(stages);
  cut.pieces.forEach((depth, at) => (depths[at % stages] = (depths[at % stages] ?? 0) + depth));
  return Math.max(...depths);
}

/** Layers of each piece, all first chunks first. */
export function piecesOf(cut: PipelineCut, layers: number, stages: number, chunks: number): readonly number[] {
  if (cut.kind === "pieces") return cut.pieces;
  if (cut.kind === "ends")
    return [cut.first, ...Array.from({ length: stages - 2 }, () => cut.middle), ...(stages > 1 ? [cut.last] : [])];
  const { embedding, loss } = cut.kind === "tables" ? cut : { embedding: 0, loss: 0 };
  return counting(layers, stages * chunks, embedding, loss);
}

/**
 * With the embedding and the loss counted as layers where that makes no stage deeper. Early pieces hold the activations of most
 * micro-batches, and get what is less.
 */
function dealt(layers: number, stages: number, chunks: number): Unequal | null {
  const count = stages * chunks;
  const cuts = [...tables, { embedding: 0, loss: 0 }]
    .filter(({ embedding, loss }) => layers + embedding + loss >= count)
    .map(({ embedding, loss }) => ({ kind: "pieces", pieces: counting(layers, count, embedding, loss) }) as const);
  return byDepth(cuts, stages)[0] ?? null;
}

/** What does not divide goes one each to the last pieces. Those of the embedding and of the loss have so many layers less. */
function counting(layers: number, count: number, embedding: number, loss: number): readonly number[] {
  const all = layers + embedding + loss;
  const less = count - (all % count);
  return Array.from(
    { length: count },
    (_, at) =>
      Math.floor(all / count) + (at < less ? 0 : 1) - (at === 0 ? embedding : 0) - (at === count - 1 ? loss : 0),
  );
}

function endsOf(layers: number, stages: number): Unequal | null {
  if (stages === 2)
    return layers < 2
      ? null
      : { kind: "ends", first: Math.ceil(layers / 2), middle: 0, last: Math.floor(layers / 2) };
  const cuts = [Math.ceil(layers / stages), Math.floor(layers / stages)].flatMap((middle) => {
    const left = layers - middle * (stages - 2);
    return middle < 1 || left < 2
      ? []
      : [{ kind: "ends", first: Math.ceil(left / 2), middle, last: Math.floor(left / 2) } as const];
  });
  return cuts.sort((a, b) => Math.max(a.middle, a.first) - Math.max(b.middle, b.first))[0] ?? null;
}
