/** What a recurrence takes that the class computes in PyTorch's own operations, one position after the other. */
import type { PlainScan } from "./shape.ts";

/** What the host starts for attention and a feed-forward layer forward: transformers' Llama about fifty operations. */
const ofLayer = 50;

/** As many layers the host could launch meanwhile; backward takes as much longer as that of a layer. */
export function walkedLayers(plainly: Pick<PlainScan, "launches"> | undefined, sequence: number): number {
  return ((plainly?.launches ?? 0) * sequence) / ofLayer;
}

/** Bytes that backward moves for each pair of positions: an element in 32 bits is cleared, read twice and written. */
export const clearedBytes = (plainly: Pick<PlainScan, "pairs"> | undefined): number => 4 * 4 * (plainly?.pairs ?? 0);
