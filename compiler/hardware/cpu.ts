import type { KnownDevice } from "./gpus.ts";

/**
 * One core of a server, for machines without a GPU: figures are per core, unlike a GPU's. A core with AVX2 does two
 * fused multiply-adds of eight fp32 a cycle, 80 GFLOP/s at 2.5 GHz; 16-bit types are converted and gain nothing. Memory
 * is that of a small machine and counts only where the cluster says no `ram`.
 */
export const cpu: KnownDevice = {
  name: "cpu",
  kind: "cpu",
  memory: 16 * 2 ** 30,
  flops: { fp32: 80e9, bf16: 80e9, fp16: 80e9 },
  bandwidth: 20e9,
  source: "Intel 64 and AMD64 with AVX2: 2 FMA x 8 lanes x 2 FLOP x 2.5 GHz",
};
