import { layoutOf } from "../adapter/spread.ts";
import { replicasOf, type Choice } from "../setting.ts";
import type { Evaluated } from "./evaluate.ts";
import { burdenOf, plainest, resolution } from "./objective.ts";

/**
 * Plans in order of preference: the plainest of those whose objective is as good as the least, then the other ones that fit, by their
 * objective. What does not fit comes last, leanest first.
 */
export function rank(evaluated: readonly Evaluated[]): Evaluated[] {
  const fitting = evaluated
    .filter(({ fits }) => fits)
    .sort((a, b) => a.objective - b.objective || a.memory.peak - b.memory.peak || inOrder(a.choice, b.choice));
  const limit = (fitting[0]?.objective ?? 0) * (1 + resolution);
  const best = plainest(
    fitting
      .filter(({ objective }) => objective <= limit)
      .map((one) => ({ one, objective: one.objective, burden: burdenOf(layoutOf(one.setting, one.choice)) })),
  )?.one;
  const rest = evaluated
    .filter(({ fits }) => !fits)
    .sort((a, b) => a.memory.peak - b.memory.peak || inOrder(a.choice, b.choice));
  return best === undefined ? rest : [best, ...fitting.filter((one) => one !== best), ...rest];
}

/** Layouts of one kind differ in their micro-batches, chunks, sequence parallelism and the size of groups only: the best of them speaks for all. */
export function kindOf({ setting, choice }: Evaluated): string {
  const { tensor_parallel, pipeline_parallel, context_parallel, zero_stage } = choice;
  const { expert_parallel, expert_tensor_parallel } = choice;
  const split = [tensor_parallel, pipeline_parallel, context_parallel, expert_parallel, expert_tensor_parallel];
  // Who holds the only copy has nobody to share its optimizer states with.
  const isAlone = replicasOf(setting.cluster, choice) * context_parallel === 1;
  const sharded = isAlone && zero_stage === 1 ? 0 : zero_stage;
  const among = setting.shardOver === undefined ? "all" : "groups";
  return `${split.join(" ")} ${sharded} ${among} ${choice.recompute} ${choice.offload}`;
}

/** Of equals the least split comes first, so that an answer never depends on the order of trying. */
function inOrder(a: Choice, b: Choice): number {
  for (const property of [
    "tensor_parallel",
    "pipeline_parallel",
    "context_parallel",
    "expert_parallel",
    "expert_tensor_parallel",
    "virtual_pipeline",
    "micro_batch",
    "zero_stage",
  ] as const)
    if (a[property] !== b[property]) return a[property] - b[property];
  const rest = ({ offload, recompute, sequence_parallel }: Choice): string =>
    `${offload} ${recompute} ${sequence_parallel}`;
  return rest(a) < rest(b) ? -1 : rest(a) > rest(b) ? 1 : 0;
}
