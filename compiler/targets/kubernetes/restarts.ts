/** How often a controller starts pods again, in its own count. */
import type { KubernetesOptions } from "../../pipeline.ts";

/**
 * When a rank fails, all pods of a run end and start anew: a restart of the run counts once for each. A Job fails when more pods
 * than `backoffLimit` have failed; the training-operator when as many containers have been restarted (PastBackoffLimit in
 * pkg/controller.v1/common/job.go), and with 0 at the first.
 */
export function backoffLimitOf({ controller, retries, backoff }: KubernetesOptions, nodes: number): number {
  if (backoff !== null) return backoff;
  if (retries === 0) return 0;
  return retries * nodes + (controller === "pytorchjob" ? 1 : 0);
}

/** What `backoffLimit` means in restarts of a run: the reverse; `null` where it is no whole number of them. */
export function retriesOf(controller: "pytorchjob" | "job", backoffLimit: number, nodes: number): number | null {
  const retries = (backoffLimit - (controller === "pytorchjob" && backoffLimit > 0 ? 1 : 0)) / nodes;
  return Number.isInteger(retries) && (retries > 0 || backoffLimit === 0) ? retries : null;
}

/** A Volcano Job fails when it has been restarted `maxRetry` times (pkg/controllers/job/state/restarting.go). */
export const maxRetryOf = (retries: number): number => retries + 1;
