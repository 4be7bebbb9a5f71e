import type { Traffic } from "../engines/engine.ts";
import type { ClusterSpec } from "../pipeline.ts";

/**
 * Share of the slowest link that a collective reaches, as NCCL counts bus bandwidth. Inside a node: all-reduce 436 to
 * 482 and gathers 250 to 363 of 450 GB/s on H100 and H200, 235 of 300 on A100 (nccl-tests in stas00/ml-engineering and
 * in Hugging Face's ultrascale playbook). Between nodes the share falls with their number: of 400 GB/s a node, all-reduce
 * 362, 160, 100, 85 and gathers 185, 119, 69, 55 on 2, 4, 8, 16 nodes (the playbook, messages of 256 MB); the floor is
 * what ZeRO-3 reached on 70 to 280 nodes (Megatron-LM 2021, arXiv 2104.04473, table 2).
 */
const inside = { reduce: 0.8, gather: 0.65 };
const between = {
  reduce: (nodes: number): number => Math.max(0.1, 0.8 * (nodes / 2) ** -0.6),
  gather: (nodes: number): number => Math.max(0.08, 0.46 * (nodes / 2) ** -0.55),
};

/** Seconds of a step's collectives; a ring moves (n - 1) / n of the payload, an all-reduce twice that. */
export function collectives(cluster: ClusterSpec, traffic: Traffic): number {
  const { nodes, gpusPerNode, link, network } = cluster;
  const n = nodes * gpusPerNode;
  if (n === 1) return 0;
  const reduced = (2 * traffic.all_reduce * (n - 1)) / n;
  const gathered = ((traffic.reduce_scatter + traffic.all_gather) * (n - 1)) / n;
  const near = gpusPerNode > 1 ? reduced / (inside.reduce * link) + gathered / (inside.gather * link) : 0;
  if (nodes === 1) return near;
  const far = reduced / (between.reduce(nodes) * network) + gathered / (between.gather(nodes) * network);
  return Math.max(near, far);
}

/**
 * A group of ranks as a cluster of its own, where each is `stride` ranks from the next: those on one node share its link, the
 * groups that run beside it share its network.
 */
export function groupOf(cluster: ClusterSpec, ranks: number, stride: number): ClusterSpec {
  const perNode = Math.min(ranks, Math.max(1, Math.floor(cluster.gpusPerNode / stride)));
  const beside = cluster.gpusPerNode / perNode;
  return {
    ...cluster,
    nodes: Math.max(1, ranks / perNode),
    gpusPerNode: perNode,
    network: cluster.network / beside,
  };
}
