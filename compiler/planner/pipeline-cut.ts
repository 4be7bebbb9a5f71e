/** How a pipeline's stages share a model's layers. */
import type { SizedModel } from "../plan.ts";

export type PipelineCut =
  | { readonly kind: "even" }
  /** The embedding's or the loss's stage holds one layer less in its place. */
  | { readonly kind: "tables"; readonly embedding: 0 | 1; readonly loss: 0 | 1 }
  /** Ends of their own depth around equal stages. */
  | { readonly kind: "ends"; readonly first: number; readonly middle: number; readonly last: number }
  /** Layers of every chunk of every stage, all first chunks first (`--pipeline-model-parallel-layout`). */
  | { readonly kind: "pieces"; readonly pieces: readonly number[] };

const even: PipelineCut = { kind: "even" };
const tables: readonly Extract<PipelineCut, { kind: "tables" }>[] = [
  { kind: "tables", embedding: 1, loss: 1 },
  { kind: "tables", embedding: 0, loss: 1 },
];

/**
 * The plainest cut into `stages` of `chunks` each, or `null` where there is none: even; else with embedding and loss, or the loss,
 * counted as layers (`--account-for-embedding-in-pipeline-split`); else with a first and a last stage that hold what is left over
 * (`--decoder-first-pipeline-num-layers`), as even as can be; else, and where that leaves no stage as deep, piece by piece. A pattern of
 * layers of several kinds is cut evenly and in one chunk. `says`: what the engine has words for.
 */
export function pipelineCut(
  model: Pick<SizedModel, "layers" | "pattern" | "ssm">,
  stages: number,
  chunks: number,
  says: (cut: PipelineCut, chunks: number) => boolean = () => true,
): PipelineCut | null {
  const { layers } = model;
  if (isPattern(model) && chunks > 1) return null;
  const pieces = stages * chunks;
  if (layers % pieces === 0) return even;
  if (isPattern(model) || stages === 1 || stages > layers) return null;
  const counted = tables.filter(({ embedding, loss }) => (layers + embedding + loss) % pieces === 0);
  const others =
    counted.length > 0 ? [] : [chunks === 1 ? endsOf(layers, stages) : null, dealt(layers, stages, chunks)];
  const deepest = (cut: PipelineCut): number => Math.max(...depthsOf(cut, layers, stages, chunks));
  const uncounted = others.filter((cut) => cut !== null).sort((a, b) => deepest(a) - deepest(b));
  return [...counted, ...uncounted].find((cut) => says(cut, chunks)) ?? null;
}

/** Layers of each piece, all first chunks first. */
export function piecesOf(cut: PipelineCut, layers: number, stages: number, chunks: number): readonly number[] {
  if (cut.kind === "pieces") return cut.pieces;
  if (cut.kind === "ends")
    return [cut.first, ...Array.from({ length: stages - 2 }, () => cut.middle), ...(stages > 1 ? [cut.last] : [])];
  const { embedding, loss } = cut.kind === "tables" ? cut : { embedding: 0, loss: 0 };
  return counting(layers, stages * chunks, embedding, loss);
}

function depthsOf(cut: PipelineCut, layers: number, stages: number, chunks: number): readonly number[] {
  const depths = Array.from({ length: stages }, () => 0);
  piecesOf(cut, layers, stages, chunks).forEach(
    (depth, at) => (depths[at % stages] = (depths[at % stages] ?? 0) + depth),
  );
  return depths;
}

/**
 * With the embedding and the loss counted as layers where that makes no stage deeper. Early pieces hold the activations of most
 * micro-batches, and get what is less.
 */
function dealt(layers: number, stages: number, chunks: number): PipelineCut | null {
  const count = stages * chunks;
  const cuts = [...tables, { embedding: 0, loss: 0 }]
    .filter(({ embedding, loss }) => layers + embedding + loss >= count)
    .map(({ embedding, loss }) => ({ kind: "pieces", pieces: counting(layers, count, embedding, loss) }) as const);
  const deepest = (cut: PipelineCut): number => Math.max(...depthsOf(cut, layers, stages, chunks));
  return cuts.sort((a, b) => deepest(a) - deepest(b))[0] ?? null;
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

export function isPattern({ pattern, ssm }: Pick<SizedModel, "pattern" | "ssm">): boolean {
  return (pattern ?? "").length > 0 || ssm !== undefined;
}

function endsOf(layers: number, stages: number): PipelineCut | null {
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
