import type { Traffic } from "../engines/engine.ts";
import type { ClusterSpec } from "../pipeline.ts";

/** Share of a link's figure that large collectives reach (nccl-tests on H100 and H200 nodes: 436 and 482 of 450 GB/s per direction over NVLink with NVLS, 0.73 of the wire between nodes). */
const reached = 0.75;

/** Seconds of a step's collectives, as rings inside a node and between nodes: the slower of the two decides. */
export function collectives(cluster: ClusterSpec, traffic: Traffic): number {
  const { nodes, gpusPerNode: g } = cluster;
  const n = nodes * g;
  if (n === 1) return 0;
  // A ring moves (n - 1) / n of the payload for a gather or a scatter, twice that for an all-reduce.
  const volume = ((n - 1) / n) * (2 * traffic.all_reduce + traffic.reduce_scatter + traffic.all_gather);
  const inside = g > 1 ? volume / (reached * cluster.link) : 0;
  const between = nodes > 1 ? volume / (reached * cluster.network) : 0;
  return Math.max(inside, between);
}
