import type { Type } from "../../kind.ts";
import { enumeration, literalTexts } from "../../types/type.ts";
import { number, type Value, type Valued } from "../../types/value.ts";
import { longestList } from "./bulk.ts";
import { countOf } from "./count-of.ts";

/** The type of which a word is. */
export function enumOf(value: Value): Type | null {
  if (value.kind === "member") return { kind: "enum", name: value.of, values: value.values };
  return value.kind === "string" && value.among !== undefined ? enumeration(literalTexts, value.among) : null;
}

/** What one can run over: the items of a list, the whole numbers of a range. */
export function itemsOf(value: Value): readonly Valued[] | null {
  if (value.kind === "list") return value.items;
  if (value.kind !== "range") return null;
  const { from, to } = value;
  const count = countOf(value);
  if (count > longestList) return null;
  return Array.from({ length: count }, (_, i) => ({
    value: number(from.value + i, to.dimension),
    span: emptySpan,
    origin: { kind: "derived", rule: "range", inputs: [] },
  }));
}

const emptySpan = { source: { path: "", text: "" }, start: 0, end: 0 };
