/** A figure of a stage in each unit that it has there: at a context of 256, `8 samples` are `2048 tokens`. */
import { enclosing, type Instance } from "../../dsl/eval/blocks/instance.ts";
import { inTable } from "../../dsl/in-table.ts";
import type { Value } from "../../dsl/types/value.ts";
import { digits } from "./canonical.ts";

const countedIn = ["token", "sample", "step"] as const;

/** `null` where it has but the one that it was written in. */
export function converted(value: Value, block: Instance): string | null {
  if (value.kind !== "number") return null;
  const [[unit, power] = ["", 0], second] = Object.entries(value.dimension).filter(([, each]) => each !== 0);
  const own = countedIn.find((each) => each === unit);
  if (own === undefined || power !== 1 || second !== undefined) return null;
  const step = [...enclosing(block)].at(-1) ?? block;
  const [steps, tokens, samples] = ["steps", "tokens", "batch"].map((name) => figure(step, name));
  if (steps == null || tokens == null || samples == null || steps * tokens * samples === 0) return null;
  const inStep = { token: tokens / steps, sample: samples, step: 1 };
  return countedIn.map((each) => digits((value.value * inStep[each]) / inStep[own])).join(" ");
}

function figure(block: Instance, name: string): number | null {
  const found = inTable(block.kind.derived, name)?.compute(block);
  return found?.kind === "number" ? found.value : null;
}
