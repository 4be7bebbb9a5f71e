/** What an allocator that keeps what was freed in the pieces it was asked for has to reserve anew. */
import type { Engine } from "./engine.ts";
import type { Layout } from "./layout.ts";
import type { Shape } from "./shape.ts";
import type { Share } from "./stages.ts";

/** The longest tensor that a pass over a stage leaves free: of feed-forward layers, of the stream, of the loss. */
function longestPiece(
  { hidden }: Shape,
  stage: readonly Share[],
  tokens: number,
  rows: number,
  tensor: number,
): number {
  const widths = stage.map(({ block: { ffn } }) => ((ffn?.gated === true ? 2 : 1) * (ffn?.width ?? 0)) / tensor);
  return tokens * Math.max(4 * rows, 2 * hidden, ...widths.map((width) => 2 * width));
}

/**
 * Bytes that gathering the weights of a sharded step reserves over what the passes have reserved by then: all weights in one piece, and a piece of
 * each rank, wherever nothing as long was freed. Peaks of stages on single ranks follow to a few percent; several tensor ranks leave so much beside
 * that each rank's piece fits, and without stages all of them do in what their host was ahead by. An allocator that is short gives it all back.
 */
export function gatheredAnew(
  shape: Shape,
  stage: readonly Share[],
  parameters: number,
  tokens: number,
  /** Of the loss's table, where the stage has one. */
  rows: number,
  spare: number,
  { tensor, pipeline, data, context }: Pick<Layout, "tensor" | "pipeline" | "data" | "context">,
  { whole, pieces }: NonNullable<Engine["collected"]>,
): number {
  const longest = longestPiece(shape, stage, tokens, rows, tensor);
  const one = whole * parameters;
  const all = pieces * parameters;
  const anew = (one > longest ? one : 0) + (tensor === 1 && all / (data * context) > longest ? all : 0);
  return pipeline === 1 ? Math.max(0, anew - spare) : anew;
}
