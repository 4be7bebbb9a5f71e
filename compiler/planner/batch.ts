/** The arithmetic of a batch: `batch = micro_batch x accumulation x ranks`. */
import { divisors } from "./divisors.ts";

/** The multiples of `unit` on either side of `value`, smallest first. */
export function nearestMultiples(value: number, unit: number): number[] {
  const below = Math.floor(value / unit) * unit;
  return [below, below + unit].filter((multiple) => multiple > 0);
}

/** Micro-batches that a batch over so many ranks can be cut into. */
export function microBatches(batch: number, ranks: number): number[] {
  return batch % ranks === 0 ? divisors(batch / ranks) : [];
}
