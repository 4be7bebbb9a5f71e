import type { EvaluationLength } from "../pipeline.ts";

/** Batches of `samples`, over all replicas, that one evaluation takes; `null` where it takes all of the split. */
export function batchesOf(length: EvaluationLength | null, samples: number): number | null {
  if (length === null) return null;
  return length.unit === "batches" ? length.value : Math.ceil(length.value / samples);
}
