import type { Calibration } from "../../calibration.ts";
import { wideOf } from "../../engines/wide.ts";
import type { ClusterSpec, Precision } from "../../pipeline.ts";

/**
 * Of a core that nobody measured: the shares of its peak that large products and the attention core reach, and figures of one
 * server core (AMD EPYC 9004, torch 2.15) for the rest.
 */
const shares = { products: 0.8, attention: 0.18 };
const usual = {
  kernels: 5e9,
  optimizer: 1.1e9,
  layer: 1.5e-3,
  fork: 1.5e-3,
  step: 4e-3,
  latency: 300e-6,
  resident: 0.95 * 2 ** 30,
  heap: 0.14,
};

/** Share of the link that a ring reaches where nothing was measured. */
const ring = 0.25;

/** What was measured of the cluster, and what is usual for the rest. */
export function calibrated({ device, link, calibration = {} }: ClusterSpec): Calibration {
  const { fp32, bf16 } = device.flops;
  return {
    ...usual,
    fp32: shares.products * fp32,
    bf16: shares.products * bf16,
    attention: shares.attention * fp32,
    link: ring * link,
    time_error: null,
    memory_error: null,
    ...calibration,
  };
}

/** The peak that a utilisation is of: a core that measured faster than its data sheet says is as fast as it measured. */
export function peakOf(cluster: ClusterSpec, precision: Precision): number {
  const format = wideOf(precision);
  const measured = format === "fp32" ? cluster.calibration?.fp32 : cluster.calibration?.bf16;
  return Math.max(cluster.device.flops[format], measured ?? 0);
}

/** A process of the plain trainer takes this; engines bring more with them, by the same share everywhere. */
export const usualResident = usual.resident;
