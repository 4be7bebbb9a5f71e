import type { Batch, Layout } from "./layout.ts";

/**
 * Micro-batches whose activations a stage holds at its worst instant. GPipe: all. 1F1B: as many as stages follow, with
 * itself (Narayanan et al. 2021, arXiv 2104.04473, 2.2.1). Interleaved: chunks of `1 / chunks` of a stage, of which
 * `2 (p - i - 1) + (chunks - 1) turn + 1` are warm on stage `i` (2.2.2; on the first, `1 + (p - 1) / (p chunks)` times the
 * plain schedule's). Zero bubble (H1) puts the gradients of weights off, on stage `i` those of `i` micro-batches, and keeps what
 * they read: `32 s b h` of a layer's `34 s b h` (Qi et al. 2023, arXiv 2401.10241, table 1 and 2.3).
 */
export function inFlight(layout: Layout, { count }: Pick<Batch, "count">, stage: number): number {
  const { pipeline, chunks, schedule, turn = pipeline } = layout;
  if (pipeline === 1) return 1;
  if (schedule === "gpipe") return count;
  if (chunks === 1) {
    const whole = Math.min(count, pipeline - stage);
    return whole + (schedule === "zero-bubble" ? (Math.min(count - whole, stage) * 32) / 34 : 0);
  }
  return Math.min(count * chunks, 2 * (pipeline - stage - 1) + (chunks - 1) * turn + 1) / chunks;
}

/**
 * The same of a stage in a model of so many layers, in stages full of activations: chunks that hold an end of the model, or what is left
 * over, have other numbers of layers. They take turns, the first one first.
 */
export function flyingOf(layers: number, layout: Layout, batch: Pick<Batch, "count">, stage: number): number {
  const depths = chunkDepths(layers, layout, stage);
  if (depths === null) return inFlight(layout, batch, stage);
  const all = depths.reduce((sum, depth) => sum + depth, 0);
  if (all === 0) return 0;
  return inFlightByChunk(layout, batch, stage).reduce((sum, n, chunk) => sum + (n * (depths[chunk] ?? 0)) / all, 0);
}

/** Layers of a stage's chunks; `null` where they are alike. */
function chunkDepths(
  layers: number,
  { pipeline, chunks, pieces, ends }: Layout,
  stage: number,
): readonly number[] | null {
  if (chunks === 1 || (pieces === undefined && ends === undefined)) return null;
  if (pieces !== undefined) return pieces.filter((_, at) => at % pipeline === stage);
  const { embedding, loss } = ends ?? { embedding: 0, loss: 0 };
  const each = (layers + embedding + loss) / (pipeline * chunks);
  const last = chunks - 1;
  return Array.from(
    { length: chunks },
    (_, chunk) =>
      each - (stage === 0 && chunk === 0 ? embedding : 0) - (stage === pipeline - 1 && chunk === last ? loss : 0),
  );
}

/** The same in micro-batches of each chunk: turns of `turn` micro-batches begin with the first chunk. */
export function inFlightByChunk(layout: Layout, batch: Pick<Batch, "count">, stage: number): readonly number[] {
  const { chunks, turn = layout.pipeline } = layout;
  const all = Math.round(inFlight(layout, batch, stage) * chunks);
  const rest = all % (turn * chunks);
  const each = (all - rest) / chunks;
  return Array.from({ length: chunks }, (_, chunk) => each + Math.min(turn, Math.max(0, rest - chunk * turn)));
}
