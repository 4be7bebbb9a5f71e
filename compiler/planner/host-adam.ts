import type { ClusterSpec } from "../pipeline.ts";

/** Bytes that Adam moves for each parameter: four values of 32 bits in, three out. */
export const adamBytes = 28;

/**
 * Bytes/s that a node's processors are taken to reach together, less than half of what two sockets with six channels of DDR4-2666 are rated
 * at (256 GB/s), and that one core draws at most: twelve lines of 64 bytes under way, each for some 80 ns. Nothing here was measured.
 */
const ofNode = 100e9;
const ofCore = 10e9;

/** How fast the optimizer of a node's host reads and writes: by its memory, or by its cores where they are few. */
export function hostAdamRate({ cores }: Pick<ClusterSpec, "cores">): {
  readonly rate: number;
  readonly limit: "memory" | "cores";
} {
  const drawn = cores === null ? Infinity : cores * ofCore;
  return drawn < ofNode ? { rate: drawn, limit: "cores" } : { rate: ofNode, limit: "memory" };
}
