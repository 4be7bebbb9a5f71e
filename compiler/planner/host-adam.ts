import type { ClusterSpec } from "../pipeline.ts";
import { hostedParameters } from "./hosted.ts";
import { allMoments } from "./moments.ts";
import type { Setting } from "./setting.ts";

/** Bytes of moments for each parameter whose states are offloaded. */
export function hostedMoments(setting: Setting): number {
  const parameters = hostedParameters(setting);
  return parameters === 0 ? 0 : allMoments(setting, parameters) / parameters;
}

/** Bytes that a host's optimizer moves for each parameter: gradient, master and moments in, master and moments out; 28 with Adam. */
export const steppedBytes = (setting: Setting): number => 4 + 2 * (4 + hostedMoments(setting));

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
