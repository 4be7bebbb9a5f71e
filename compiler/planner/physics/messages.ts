import { otherBoundaries, ownBoundaries } from "./boundaries.ts";
import { worldOf, type Layout } from "./layout.ts";
import type { Machine } from "./machine.ts";

type Spread = Pick<Layout, "tensor" | "pipeline" | "chunks" | "context" | "data">;

/** Messages over the network that follow one another in a step, of stages and of tensor ranks: what a slow network multiplies. */
export function messagesOf(
  blocks: number,
  layout: Spread,
  count: number,
  { domain }: Pick<Machine, "domain">,
): number {
  const { pipeline, chunks, tensor } = layout;
  const sent =
    pipeline > 1 && worldOf(layout) > domain
      ? 2 * (ownBoundaries(pipeline) * count * chunks + otherBoundaries(pipeline))
      : 0;
  // Two a layer and pass, where tensor ranks stand in several domains.
  const reduced = tensor > domain ? (4 * count * blocks) / pipeline : 0;
  return sent + reduced;
}
