/** The batch that was written, or what bounds leave of one that was not. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { boundsOf } from "../../../dsl/eval/blocks/property.ts";
import type { Value, Valued } from "../../../dsl/types/value.ts";
import type { Bound, StageStep } from "../../pipeline.ts";
import { narrowed, unbounded, unitOf } from "./read.ts";

export function batchOf(
  block: Instance,
  { value, ...said }: Valued,
  sequence: number,
): Pick<StageStep, "batch" | "batchBound"> {
  const bounds = boundsOf(block, "batch").map((bound) => ({ ...bound, value: inSamples(bound.value, sequence) }));
  const open = bounds.length === 0 ? {} : { batchBound: whole(bounds.reduce(narrowed, unbounded)) };
  if (value.kind !== "number") return { batch: { ...said, value: { unit: "auto", value: 0 } }, ...open };
  const unit = unitOf(value) === "token" ? "tokens" : "samples";
  return { batch: { ...said, value: { unit, value: value.value } }, ...open };
}

const whole = (bound: Bound): Bound => ({
  ...bound,
  min: bound.min === null ? null : Math.ceil(bound.min),
  max: bound.max === null ? null : Math.floor(bound.max),
});

/** The unit that a bound is given in. */
export function unitIn(value: Value): ReturnType<typeof unitOf> {
  if (value.kind === "range") return unitOf(value.from);
  return unitOf(value.kind === "list" ? value.items[0]?.value : value);
}

/** A bound in tokens as one in samples: each is `sequence` of them. */
function inSamples(said: Valued, sequence: number): Valued {
  const each = (value: Value): Value => {
    if (value.kind === "number" && unitOf(value) === "token") return { ...value, value: value.value / sequence };
    if (value.kind === "range") {
      const [from, to] = [each(value.from), each(value.to)];
      return from.kind === "number" && to.kind === "number" ? { ...value, from, to } : value;
    }
    return value.kind === "list"
      ? { ...value, items: value.items.map((item) => ({ ...item, value: each(item.value) })) }
      : value;
  };
  return { ...said, value: each(said.value) };
}
