import type { ClusterSpec } from "../pipeline.ts";

/** Bytes of the largest node of eight GPUs that is sold: NVIDIA DGX B200 user guide, up to 4 TB. */
export const largestHost = 4e12;

/** Bytes of a node that training may fill: a tenth is its own. Where nobody said how much it has, no node has more than the largest. */
export function hostRoom({ ram }: ClusterSpec): number {
  return 0.9 * (ram ?? largestHost);
}
