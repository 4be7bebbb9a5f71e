import type { SequenceRun } from "../engine.ts";

/** Each rank takes a piece from the front and its mirror image from the back, so that causal work is even (core/utils.py: get_batch_on_this_cp_rank). */
export function unshared({ sequence }: SequenceRun, ranks: number): readonly string[] {
  return sequence % (2 * ranks) === 0
    ? []
    : [
        `each context-parallel rank takes two equal pieces, and ${sequence} tokens are not a multiple of ${2 * ranks}`,
      ];
}
