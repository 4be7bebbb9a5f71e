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
 * Share of the peak that one matrix product reaches in an eager training step. Fitted on 116 published MPT
 * runs under FSDP (LLM-Foundry, 125M to 70B parameters, 8 to 512 GPUs): 0.70 on A100, 0.56 on H100, whose peak grew
 * faster than its memory and power; products below about 10 microseconds of work reach less.
 */
export function productEfficiency(cluster: ClusterSpec, flops: number): number {
  if (cluster.device.kind === "cpu") return 0.8;
  const fast = Math.max(cluster.device.flops.bf16, cluster.device.flops.fp16);
  const best = fast > 500e12 ? 0.56 : 0.7;
  return (best * flops) / (flops + fast * 10e-6);
}

/** The attention core does seven products' work where a plain product does six, at about half their efficiency. */
export const attentionEfficiency = 0.4;

/**
 * Half-width of the 80 % interval of a step, where the kind of run was measured: sharded 16-bit training on A100 and
 * H100, by the runs above and six of DeepSpeed ZeRO-3 on 384 to 2,240 A100s (arXiv 2104.04473, table 2), the same that
 * the constants were fitted on. `null` elsewhere.
 */
export function timeError({ cluster, precision }: Setting): number | null {
  return /^(a100|h100)/.test(cluster.device.name) && precision !== "fp32" ? 0.15 : null;
}
