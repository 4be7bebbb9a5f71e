/** What a model block gives when it is asked for its counts. */
import type { Instance } from "../../dsl/eval/instance.ts";
import type { Base } from "../../dsl/types/units.ts";
import { number, unknown, type Value, type Valued } from "../../dsl/types/value.ts";
import { modelRequest } from "../passes/resolve/model.ts";
import { size } from "../passes/size.ts";
import type { SizedModel } from "../plan.ts";

const known = new WeakMap<Instance, SizedModel | null>();

/** Sized by itself: with the vocabulary it names, or its family's. */
function sized(block: Instance): SizedModel | null {
  const found = known.get(block);
  if (found !== undefined) return found;
  const request = modelRequest(block, null);
  const model = request === null ? null : size(request).model;
  known.set(block, model);
  return model;
}

export function sizedValue(block: Instance, name: "parameters" | "flops_per_token"): Value {
  const model = sized(block);
  if (model === null) return unknown;
  const base: Base = name === "parameters" ? "param" : "flop";
  return recordOf(
    block,
    Object.entries(model[name]).map(([field, value]) => [field, number(value, { [base]: 1 })]),
    name,
  );
}

/** A record of derived values. */
export function recordOf(block: Instance, fields: readonly (readonly [string, Value])[], rule: string): Value {
  const derived = (value: Value): Valued => ({
    value,
    span: block.span,
    origin: { kind: "derived", rule, inputs: [] },
  });
  return { kind: "record", fields: new Map(fields.map(([name, value]) => [name, derived(value)])), bounds: [] };
}
