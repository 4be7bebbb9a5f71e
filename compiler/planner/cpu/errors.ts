/** How far an estimate of a machine without a GPU may be off: what a calibration says of it holds for models like those that it ran. */
import type { FamilyName } from "../../pipeline.ts";
import type { Calibration } from "../../calibration.ts";

/** The families that a calibration's own runs train. */
export const probed = ["gpt2", "llama"] as const satisfies readonly FamilyName[];

/**
 * Half-width of the 80 % interval of a peak where nothing was measured: that of twelve runs of the training program (both engines, 0.9M to
 * 52M parameters, one and two ranks, three precisions, recomputation and offload), of which the usual figures were fitted: ten
 * lie within 10 %. After a calibration the peaks of gemma3, mpt, qwen3_moe and rwkv7, which it does not know, lay within it too.
 */
const usualMemory = 0.1;

/** No interval of a step is narrower, whatever a file says: the clock and the machine's day differ by about this much from run to run. */
export const leastTimeError = 0.03;

/**
 * Nor is one of a peak: the probes lie closer together than runs of other shapes, of which four of five lay within this (the six of
 * docs/calibration.md, which no calibration learns from).
 */
export const leastMemoryError = 0.066;

/** What runs were not tried against others say of those. */
export const untested = 0.25;

const isProbed = (family: FamilyName): boolean => (probed as readonly FamilyName[]).includes(family);

/** Where the intervals come from, in words. */
export const intervalRule = (family: FamilyName): string =>
  isProbed(family)
    ? "half of the 80 % interval of the measurements"
    : `half of the 80 % interval of the measurements, widened since no calibration trains ${family}`;

export function memoryError(
  { memory_error: learned }: Pick<Calibration, "memory_error">,
  family: FamilyName,
): number {
  return learned === null ? usualMemory : Math.max(learned, isProbed(family) ? leastMemoryError : usualMemory);
}

/** `null` where nobody measured the machine. */
export function timeError(
  { time_error: learned }: Pick<Calibration, "time_error">,
  family: FamilyName,
): number | null {
  return learned === null ? null : Math.max(learned, isProbed(family) ? leastTimeError : untested);
}
