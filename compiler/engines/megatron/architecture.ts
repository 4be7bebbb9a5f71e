import { unknown } from "./unknown.ts";

/**
 * Compute capability by the beginning of a device's name (NVIDIA, "CUDA GPU Compute Capability").
 */
const generations: readonly (readonly [string, number])[] = [
  ["v100", 7],
  ["t4", 7.5],
  ["rtx_2", 7.5],
  ["a100", 8],
  ["a800", 8],
  ["a30", 8],
  ["a10", 8.6],
  ["a40", 8.6],
  ["a6000", 8.6],
  ["rtx_3", 8.6],
  ["l4", 8.9],
  ["l40", 8.9],
  ["rtx_4", 8.9],
  ["rtx4", 8.9],
  ["rtx_6", 8.9],
  ["rtx_5", 12],
  ["rtx5", 12],
  ["h", 9],
  ["gh200", 9],
  ["b2", 10],
  ["b1", 10],
  ["b3", 10.3],
  ["gb2", 10],
  ["gb3", 10.3],
];

/** The longest name that fits; `unknown` for a device that nobody listed. */
export function architectureOf(device: string): number | typeof unknown {
  const fitting = generations.filter(([name]) => device.startsWith(name));
  const longest = fitting.reduce<(typeof generations)[number] | null>(
    (best, one) => (best === null || one[0].length > best[0].length ? one : best),
    null,
  );
  return longest?.[1] ?? unknown;
}
