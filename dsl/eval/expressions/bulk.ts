/** How much a file may make by computing: a few lines can ask for more than a machine holds. */
import { valueLimit } from "../../diagnostics/catalog/values.ts";
import type { Span } from "../../source/source.ts";
import { unknown, type Value } from "../../types/value.ts";
import type { Context } from "../context.ts";

export const longestList = 100_000;
export const longestText = 1_000_000;

/** Of all lists and of all texts that are computed. */
const mostItems = 500_000;
const mostCharacters = 100_000_000;

interface Spent {
  items: number;
  characters: number;
}

const spent = new WeakMap<Context["calling"], Spent>();

function spentBy({ calling }: Context): Spent {
  const known = spent.get(calling) ?? { items: 0, characters: 0 };
  spent.set(calling, known);
  return known;
}

/** The text as a value; one that is too long is reported, and so is the one with which all are. */
export function limited(text: string, span: Span, context: Context): Value {
  if (text.length > longestText) {
    context.report(valueLimit(span, { what: "this text", most: "1_000_000 characters" }));
    return unknown;
  }
  const all = spentBy(context);
  const isFirst = all.characters <= mostCharacters;
  all.characters += text.length;
  if (all.characters <= mostCharacters) return { kind: "string", value: text };
  if (isFirst)
    context.report(valueLimit(span, { what: "all computed texts together", most: "100_000_000 characters" }));
  return unknown;
}

/** Whether a list, or a part of one, may be made; what is too long is reported. */
export function mayHold(items: number, span: Span, context: Context): boolean {
  if (items > longestList) {
    context.report(valueLimit(span, { what: "this list", most: "100_000 items" }));
    return false;
  }
  const all = spentBy(context);
  const isFirst = all.items <= mostItems;
  all.items += items;
  if (all.items <= mostItems) return true;
  if (isFirst) context.report(valueLimit(span, { what: "all computed lists together", most: "500_000 items" }));
  return false;
}
