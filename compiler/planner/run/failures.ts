/** What is lost to machines that fail. */
import type { ClusterSpec } from "../../pipeline.ts";
import type { TotalPlan } from "../../plan.ts";
import { worldOf } from "../setting.ts";

/** Unexpected interruptions of an hour of one GPU: 419 in 54 days of 16,384 (Llama 3, arXiv 2407.21783, section 3.3.4). */
const rate = 419 / (54 * 24 * 16_384);

/** Seconds in which a failure is noticed and the machines are tested: under ten minutes (MegaScale, arXiv 2402.15627, section 4). */
export const noticing = 600;

/** Interruptions to be expected in so many hours. Of processors no rate is published. */
export function failuresIn(hours: number, cluster: ClusterSpec): number {
  return cluster.device.kind === "gpu" ? rate * worldOf(cluster) * hours : 0;
}

/** With more failures to be expected between two checkpoints than this, a run hardly ever comes to its next one. */
const hopeless = 10;

/**
 * Hours that failures cost, where each sends a run back to its last checkpoint: work of `b` hours that comes through unbroken takes
 * `(e^(rb) - 1) (1 / r + restart)` at `r` failures an hour (Daly 2006, doi 10.1016/j.future.2004.11.016, section 3), for rare ones half of `b`
 * and a restart each. Beyond what is hopeless the figure says no more than that, and goes on as a line so that it stays one.
 */
export function lostHours(hours: number, between: number, restart: number, cluster: ClusterSpec): number {
  const [hourly, expected] = [failuresIn(1, cluster), failuresIn(between, cluster)];
  if (expected === 0) return 0;
  const grown = Math.expm1(Math.min(expected, hopeless)) + Math.exp(hopeless) * Math.max(0, expected - hopeless);
  const stretch = grown / expected;
  return hours * (stretch - 1 + stretch * hourly * restart);
}

/**
 * Failures take as much as all else, or more: how much more says nothing of a run that hardly ever comes to its next checkpoint, and is left
 * out of its total, by which it is told, held against budgets and compared with itself on other numbers of nodes.
 */
export const hardlyEnds = ({ hours, parts }: TotalPlan): boolean => parts.failures >= hours / 2 - 1e-9 * hours;
