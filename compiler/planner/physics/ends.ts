/** Seconds in which tensor ranks talk at a model's two ends, for one micro-batch. */
import { collectiveSeconds, groupOf, type NetworkConstants } from "./collective.ts";
import type { Layout } from "./layout.ts";
import type { Machine } from "./machine.ts";

export interface EndTalks {
  readonly first: number;
  readonly last: number;
}

/**
 * Each rank has rows of the vocabulary: what it looked up is summed over the ranks, and so is the gradient of what the head read (Megatron-LM
 * core/tensor_parallel/layers.py: VocabParallelEmbedding, copy_to_tensor_model_parallel_region). Of the loss, the largest logit, that of the
 * target and the sum of exponentials are summed, each a number in 32 bits a token (cross_entropy.py).
 */
export function endTalks(
  hidden: number,
  { tensor, sequence_parallel }: Pick<Layout, "tensor" | "sequence_parallel">,
  tokens: number,
  machine: Machine,
  constants: NetworkConstants,
): EndTalks {
  if (tensor === 1) return { first: 0, last: 0 };
  const group = groupOf(tensor, 1, machine.domain);
  const bytes = 2 * tokens * hidden;
  const seconds = (kind: "reduce" | "gather", sent: number): number =>
    collectiveSeconds(kind, sent, group, machine, constants);
  const stream = sequence_parallel ? 2 * seconds("gather", bytes) : seconds("reduce", bytes);
  return { first: stream, last: stream + 3 * seconds("reduce", 4 * tokens) };
}
