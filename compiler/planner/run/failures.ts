/** What is lost to machines that fail. */
import type { ClusterSpec } from "../../pipeline.ts";
import { worldOf } from "../setting.ts";

/** Unexpected interruptions of an hour of one GPU: 419 in 54 days of 16,384 (Llama 3, arXiv 2407.21783, section 3.3.4). */
const rate = 419 / (54 * 24 * 16_384);

/** Seconds in which a failure is noticed and the machines are tested: under ten minutes (MegaScale, arXiv 2402.15627, section 4). */
export const noticing = 600;

/** Interruptions to be expected in so many hours. Of processors no rate is published. */
export function failuresIn(hours: number, cluster: ClusterSpec): number {
  return cluster.device.kind === "gpu" ? rate * worldOf(cluster) * hours : 0;
}

/**
 * Each costs half of what lies between two checkpoints, and coming back. `null` where more than one is expected between two
 * checkpoints: such a run may never come to its next one.
 */
export function lostHours(hours: number, between: number, restart: number, cluster: ClusterSpec): number | null {
  if (failuresIn(between, cluster) > 1) return null;
  return failuresIn(hours, cluster) * (between / 2 + restart);
}
