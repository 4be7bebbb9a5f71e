import type { Choice } from "../setting.ts";
import type { Evaluated } from "./evaluate.ts";

/** Steps so close to the fastest are as good: the estimate cannot tell them apart. */
export const indifference = 0.03;

/**
 * Plans in order of preference: the plainest of those whose step comes within 3 % of the fastest (less sharding, nothing
 * offloaded or recomputed, then the faster one), then the other ones that fit, fastest first. What does not fit comes
 * last, leanest first.
 */
export function rank(evaluated: readonly Evaluated[]): Evaluated[] {
  const fitting = evaluated
    .filter(({ fits }) => fits)
    .sort((a, b) => a.time.step - b.time.step || inOrder(a.choice, b.choice));
  const limit = (fitting[0]?.time.step ?? 0) * (1 + indifference);
  const [best] = fitting
    .filter(({ time }) => time.step <= limit)
    .sort(
      (a, b) =>
        burden(a) - burden(b) ||
        a.time.step - b.time.step ||
        a.memory.peak - b.memory.peak ||
        inOrder(a.choice, b.choice),
    );
  const rest = evaluated
    .filter(({ fits }) => !fits)
    .sort((a, b) => a.memory.peak - b.memory.peak || inOrder(a.choice, b.choice));
  return best === undefined ? rest : [best, ...fitting.filter((one) => one !== best), ...rest];
}

/** Layouts of one kind differ in their micro-batches only. */
export function kindOf({ choice }: Evaluated): string {
  const { tensor_parallel, pipeline_parallel, virtual_pipeline, context_parallel, expert_parallel } = choice;
  const split = [tensor_parallel, pipeline_parallel, virtual_pipeline, context_parallel, expert_parallel];
  return `${split.join(" ")} ${choice.zero_stage} ${choice.recompute} ${choice.offload}`;
}

function burden({ choice }: Evaluated): number {
  const { tensor_parallel, pipeline_parallel, context_parallel, sequence_parallel } = choice;
  const split = Math.log2(tensor_parallel * pipeline_parallel * context_parallel);
  // Optimizer states that are sharded over the replicas cost nothing; who splits matrices splits what lies between them as well.
  return (
    split +
    (tensor_parallel > 1 && !sequence_parallel ? 0.5 : 0) +
    Math.max(0, choice.zero_stage - 1) +
    (choice.recompute === "none" ? 0 : 4) +
    (choice.offload === "none" ? 0 : 8)
  );
}

/** Of equals the least split comes first, so that an answer never depends on the order of trying. */
function inOrder(a: Choice, b: Choice): number {
  for (const property of [
    "tensor_parallel",
    "pipeline_parallel",
    "context_parallel",
    "expert_parallel",
    "virtual_pipeline",
    "micro_batch",
    "zero_stage",
  ] as const)
    if (a[property] !== b[property]) return a[property] - b[property];
  const rest = ({ offload, recompute, sequence_parallel }: Choice): string =>
    `${offload} ${recompute} ${sequence_parallel}`;
  return rest(a) < rest(b) ? -1 : rest(a) > rest(b) ? 1 : 0;
}
