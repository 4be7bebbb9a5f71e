import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import { sizeTwice } from "../../diagnostics/size.ts";
import type { FamilyName, Given, ModelRequest } from "../../pipeline.ts";
import { argument, choiceAt, given, group, numberOf, settingsOf, textAt, valued } from "./read.ts";

const otherwiseRead: ReadonlySet<string> = new Set(["family", "size", "tokenizer"]);

/** `null` where the family is missing or unknown; that was reported. */
export function modelRequest(block: Instance, tokenizerVocab: Given<number> | null): ModelRequest | null {
  const family = textAt(block, "family");
  if (family === null) return null;
  const names = Object.keys(block.kind.properties).filter((name) => !otherwiseRead.has(name));
  const { given: values, bounds } = settingsOf(block, names);
  for (const name of Object.keys(block.kind.blocks ?? {})) {
    const part = group(block, name);
    const inner = settingsOf(part, Object.keys(part?.kind.properties ?? {}));
    for (const [property, value] of inner.given) values.set(`${name}.${property}`, value);
    for (const [property, bound] of inner.bounds) bounds.set(`${name}.${property}`, bound);
  }
  return {
    given: values,
    bounds,
    name: block.name ?? "model",
    span: block.span,
    family: given(family as FamilyName, valued(block, "family")),
    size: sizeOf(block),
    tokenizerVocab,
  };
}

function sizeOf(block: Instance): ModelRequest["size"] {
  const size = choiceAt(block, "size");
  if (size === null) return null;
  const active = numberOf(argument(size, "active"));
  const target = active ?? numberOf(argument(size, "total"));
  if (target === null) return null;
  return {
    which: active === null ? "total" : "active",
    target,
    within: numberOf(argument(size, "within")) ?? 0.01,
    span: valued(block, "size").span,
  };
}

/** Both counts at once: one of them would be forgotten. */
export function sizeSaidTwice(block: Instance): Diagnostic | null {
  const size = choiceAt(block, "size");
  const [total, active] = [size?.arguments.get("total"), size?.arguments.get("active")];
  if (total?.value.kind !== "number" || active?.value.kind !== "number") return null;
  return sizeTwice(active.span, {}, { related: [{ message: "the other count", span: total.span }] });
}
