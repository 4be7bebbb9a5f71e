import type { SequenceRun } from "../engine.ts";
import { unfusedBecause } from "../fused-heads.ts";

/** Each rank takes a piece from the front and its mirror image from the back, so that causal work is even (core/utils.py: get_batch_on_this_cp_rank). */
export function unshared(run: SequenceRun, ranks: number): readonly string[] {
  const { sequence, attention } = run;
  const unfused = unfusedBecause("megatron", { ...run, ...run.cluster });
  return [
    ...(sequence % (2 * ranks) === 0
      ? []
      : [
          `each context-parallel rank takes two equal pieces, but ${sequence} tokens are not a multiple of ${2 * ranks}`,
        ]),
    // transformer_engine/pytorch/attention/dot_product_attention/utils.py: get_attention_backend
    ...(attention === "eager"
      ? [
          "the unfused attention of `attention = eager` sees only its own rank's part of a sequence: write `attention = flash`, or context_parallel = 1",
        ]
      : unfused === null
        ? []
        : [
            `only the unfused attention is left (${unfused.why}), and it sees only its own rank's part of a sequence`,
          ]),
  ];
}
