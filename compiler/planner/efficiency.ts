import type { ClusterSpec } from "../pipeline.ts";
import type { Setting } from "./setting.ts";

/**
 * FLOP/s one rank could reach by its vendor's figures; a CPU rank has its share of the node's cores. TF32 runs at half
 * the rate of bf16 on every NVIDIA GPU from Ampere on (their data sheets).
 */
export function peakFlops({ cluster, precision, tf32 }: Setting): number {
  const { flops, kind } = cluster.device;
  if (kind === "cpu") return flops[precision] * coresPerRank(cluster);
  return precision === "fp32" && tf32 ? Math.max(flops.fp32, flops.bf16 / 2) : flops[precision];
}

/** Device figures of a CPU are per core; two cores where nobody said. */
export function coresPerRank(cluster: ClusterSpec): number {
  return Math.max(1, (cluster.cores ?? 2 * cluster.gpusPerNode) / cluster.gpusPerNode);
}

/**
 * Share of the peak that one matrix product reaches. Large products reach 0.68 to 0.8 of the vendor's figure
 * (stas00/ml-engineering, MAMF: A100 271/312, H100 794/989, B200 1745/2250); small ones far less (Calculon's curve:
 * 0.6 of that above 1 GFLOP, 0.1 below).
 */
export function productEfficiency(cluster: ClusterSpec, flops: number): number {
  if (cluster.device.kind === "cpu") return 0.8;
  const knee = cluster.device.flops.bf16 * 15e-6;
  return (0.8 * flops) / (flops + knee);
}
