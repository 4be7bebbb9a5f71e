/** What a plan says of the layouts that it did not take: how they differ from the one that it took. */
import { show, number } from "../../dsl/types/value.ts";
import type { Alternative, StagePlan } from "../plan.ts";
import type { Explanation } from "./explanation.ts";

export function notTaken(stage: StagePlan): Explanation[] {
  return stage.alternatives.map((other, index) => ({
    path: `alternatives.${index}`,
    value: `${differences(stage, other).join(", ")}: ${show(number(other.memory.peak, { byte: 1 }))}, ${show(number(other.time.step, { second: 1 }))} a step`,
    known: true,
    origin: { kind: "derived", rule: `not taken: ${other.why_not}`, inputs: [] },
    text: null,
    span: null,
    from: [],
  }));
}

const following = new Set(["accumulation", "world", "data_parallel", "padded_vocab", "held_parameters"]);

/** All that was decided otherwise; the rest follows from that. */
function differences(stage: StagePlan, { engine, layout, batch }: Alternative): string[] {
  const chosen: Readonly<Record<string, unknown>> = { ...stage.layout, micro_batch: stage.batch.micro_batch };
  const own: Readonly<Record<string, unknown>> = { ...layout, micro_batch: batch.micro_batch };
  const keys = [...new Set([...Object.keys(own), ...Object.keys(chosen)])].filter((key) => !following.has(key));
  return [
    ...(engine === undefined ? [] : [`engine = ${engine}`]),
    ...keys.filter((key) => own[key] !== chosen[key]).map((key) => `${key} = ${String(own[key] ?? "none")}`),
  ];
}
