import type { Engine } from "../engines/engine.ts";
import type { ClusterSpec } from "../pipeline.ts";

const GiB = 2 ** 30;

/**
 * What a process takes before its model: on a GPU the CUDA context with its kernels (0.55 GiB) and, with several
 * ranks, NCCL (1.5 GiB), as measured in stas00/ml-engineering, training/performance; the caching allocator reserves
 * 4 % more than is allocated (median of 344 rank readings). On a CPU it is the resident size of Python with the
 * engine's libraries, and what the heap and oneDNN hold on top.
 */
export function runtimeBytes(cluster: ClusterSpec, engine: Engine, allocated: number): number {
  if (cluster.device.kind === "cpu") return engine.resident + 0.15 * allocated;
  const nccl = cluster.nodes * cluster.gpusPerNode > 1 ? 1.5 * GiB : 0;
  return 0.55 * GiB + nccl + 0.04 * allocated;
}

/**
 * Half-width of the 80 % interval of a rank's peak. On a CPU it is that of twelve runs of the training program (both
 * engines, 0.9M to 52M parameters, one and two ranks, three precisions, recomputation and offload), of which `resident`
 * and the share above were fitted: ten lie within 10 %. On a GPU nothing was measured yet.
 */
export function memoryError(cluster: ClusterSpec): number | null {
  return cluster.device.kind === "cpu" ? 0.1 : null;
}

/** The highest peak among 1,758 published 80 GB runs was 77.4 GB: 0.96 of a card is as full as it gets. */
export function usableShare(cluster: ClusterSpec): number {
  return cluster.device.kind === "cpu" ? 0.9 : 0.96;
}

/** A plan counts as fitting when it leaves this share of the usable memory free: the estimate has an error too. */
export const margin = 0.05;
