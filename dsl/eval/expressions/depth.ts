/** How deep lists and records lie in one another: who compares, writes or reads them goes as deep as they are. */
import { valueLimit } from "../../diagnostics/catalog/values.ts";
import type { Span } from "../../source/source.ts";
import type { Value } from "../../types/value.ts";
import type { Context } from "../context.ts";
import { deepest } from "./nesting.ts";

const depths = new WeakMap<Value, number>();

/** Its parts were judged before it, so that this goes no deeper than they may be. */
function depthOf(value: Value): number {
  if (value.kind !== "list" && value.kind !== "record") return 0;
  const known = depths.get(value);
  if (known !== undefined) return known;
  let most = 0;
  for (const part of value.kind === "list" ? value.items : value.fields.values())
    most = Math.max(most, depthOf(part.value));
  depths.set(value, most + 1);
  return most + 1;
}

const told = new WeakSet<Context["calling"]>();

/** The first that is nested too deep is reported: what holds it begins anew, and says nothing else. */
export function isTooDeep(value: Value, span: Span, { calling, report }: Context): boolean {
  if (depthOf(value) <= deepest) return false;
  if (told.has(calling)) return true;
  told.add(calling);
  const fix = "Split some of the lists or records.";
  report(valueLimit(span, { what: "what is nested here", most: `${deepest} nested lists and records` }, { fix }));
  return true;
}
