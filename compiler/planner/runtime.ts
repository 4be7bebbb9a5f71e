import type { ClusterSpec } from "../pipeline.ts";

const GiB = 2 ** 30;

/**
 * What a process takes before its model: on a GPU the CUDA context with its kernels (0.55 GiB) and, with several
 * ranks, NCCL (1.5 GiB), as measured in stas00/ml-engineering, training/performance; the caching allocator reserves
 * 4 % more than is allocated (median of 344 rank readings). On a CPU the resident size of Python, torch and
 * transformers, and the heap's slack.
 */
export function runtimeBytes(cluster: ClusterSpec, allocated: number): number {
  if (cluster.device.kind === "cpu") return 0.75 * GiB + 0.1 * allocated;
  const nccl = cluster.nodes * cluster.gpusPerNode > 1 ? 1.5 * GiB : 0;
  return 0.55 * GiB + nccl + 0.04 * allocated;
}

/** The highest peak among 1,758 published 80 GB runs was 77.4 GB: 0.96 of a card is as full as it gets. */
export function usableShare(cluster: ClusterSpec): number {
  return cluster.device.kind === "cpu" ? 0.9 : 0.96;
}

/** A plan counts as fitting when it leaves this share of the usable memory free: the estimate has an error too. */
export const margin = 0.05;
