/** How much a file may make by computing: a few lines can ask for more than a machine holds. */
import { valueLimit } from "../../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../source/source.ts";
import { unknown, type Value } from "../../types/value.ts";
import type { Context } from "../context.ts";
import { countOf } from "./count-of.ts";

export const longestList = 100_000;
export const longestText = 1_000_000;

/** Of all lists and of all texts that are computed. */
const mostItems = 500_000;
const mostCharacters = 100_000_000;

/** Of all that is evaluated again for other values, and of all that is looked at in lists. */
const mostSteps = 500_000;
/** Items and characters that are looked at in the time of one. */
const aStep = 8;

interface Spent {
  items: number;
  characters: number;
  steps: number;
  /** One of them is at its limit: what only follows from that is no second message. */
  isTold: boolean;
}

const spent = new WeakMap<Context["calling"], Spent>();

function spentBy({ calling }: Context): Spent {
  const known = spent.get(calling) ?? { items: 0, characters: 0, steps: 0, isTold: false };
  spent.set(calling, known);
  return known;
}

function tell(all: Spent, found: Diagnostic, { report }: Context): void {
  if (!all.isTold) report(found);
  all.isTold = true;
}

/** The text as a value; one that is too long is reported, and so is the one with which all are. */
export function limited(text: string, span: Span, context: Context): Value {
  if (text.length > longestText) {
    context.report(valueLimit(span, { what: "this text", most: "1_000_000 characters" }));
    return unknown;
  }
  const all = spentBy(context);
  all.characters += text.length;
  if (all.characters <= mostCharacters) return { kind: "string", value: text };
  tell(all, valueLimit(span, { what: "all computed texts together", most: "100_000_000 characters" }), context);
  return unknown;
}

/** Whether a list, or a part of one, may be made; what is too long is reported. */
export function mayHold(items: number, span: Span, context: Context): boolean {
  if (items > longestList) {
    context.report(valueLimit(span, { what: "this list", most: "100_000 items" }));
    return false;
  }
  const all = spentBy(context);
  all.items += items;
  if (all.items <= mostItems) return true;
  tell(all, valueLimit(span, { what: "all computed lists together", most: "500_000 items" }), context);
  return false;
}

/** Whether so many steps may still be taken; the first that is too much is reported, and none is taken behind it. */
export function mayStep(steps: number, span: Span, context: Context): boolean {
  const all = spentBy(context);
  all.steps += steps;
  if (all.steps <= mostSteps) return true;
  const fix = "Compute less: shorten lists that are nested in one another, or write out their results.";
  tell(all, valueLimit(span, { what: "all computed values together", most: "500_000 steps" }, { fix }), context);
  return false;
}

/** Whether so many items and characters may be looked at. */
export const mayLook = (parts: number, span: Span, context: Context): boolean =>
  mayStep(Math.floor(parts / aStep), span, context);

/** How much a function looks at where it looks at all of a value: items are values of their own. */
export function partsOf(value: Value): number {
  switch (value.kind) {
    case "list":
      return value.items.reduce((sum, { value: item }) => sum + (item.kind === "list" ? item.items.length : 4), 0);
    case "record":
      return value.fields.size * 4;
    case "string":
      return value.value.length;
    case "range":
      return Math.min(longestList, countOf(value)) * 4;
    default:
      return 0;
  }
}
