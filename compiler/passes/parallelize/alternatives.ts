import type { Alternative, Layout, StagePlan } from "../../plan.ts";
import { bytes } from "../../planner/describe.ts";
import type { Evaluated } from "../../planner/search.ts";

/** How many are worth reading. */
const shown = 5;

/** What else was possible, each kind of layout once, and why it was not taken. */
export function alternativesOf(
  best: Evaluated,
  others: readonly Evaluated[],
  layoutOf: (evaluated: Evaluated) => Layout,
  batchOf: (evaluated: Evaluated) => StagePlan["batch"],
): Alternative[] {
  const seen = new Set<string>();
  const picked: Evaluated[] = [];
  // The next micro-batch up is what people ask for first, even when it does not fit.
  const larger = others
    .filter((o) => key(o) === key(best) && o.choice.micro_batch > best.choice.micro_batch)
    .sort((a, b) => a.choice.micro_batch - b.choice.micro_batch)[0];
  if (larger !== undefined) picked.push(larger);
  for (const other of others) {
    if (picked.length >= shown) break;
    if (other === larger || seen.has(key(other))) continue;
    seen.add(key(other));
    picked.push(other);
  }
  return picked.map((other) => ({
    layout: layoutOf(other),
    batch: batchOf(other),
    memory: { peak: other.memory.peak },
    time: { step: other.time.step },
    why_not: whyNot(best, other),
  }));
}

function whyNot(best: Evaluated, other: Evaluated): string {
  if (other.memory.peak > other.memory.usable) {
    return `needs ${bytes(other.memory.peak)} of ${bytes(other.memory.usable)}`;
  }
  if (!other.fits) return `leaves no margin: ${bytes(other.memory.peak)} of ${bytes(other.memory.usable)}`;
  const slower = other.time.step / best.time.step - 1;
  if (slower >= 0.01) return `${(100 * slower).toFixed(slower < 0.1 ? 1 : 0)} % slower`;
  return slower > -0.005
    ? "no faster, and less plain"
    : `${(-100 * slower).toFixed(1)} % faster by the estimate, but less plain`;
}

function key({ choice }: Evaluated): string {
  const { tensor_parallel, pipeline_parallel, virtual_pipeline, context_parallel, expert_parallel } = choice;
  const split = [tensor_parallel, pipeline_parallel, virtual_pipeline, context_parallel, expert_parallel];
  return `${split.join(" ")} ${choice.zero_stage} ${choice.recompute} ${choice.offload}`;
}
