import { outOfRange } from "../diagnostics/catalog/values.ts";
import type { Span } from "../source/source.ts";
import { unknown, type Value } from "../types/value.ts";
import type { Context } from "./context.ts";

/** A text that doubles thirty times must not fill the memory. */
const longest = 1_000_000;

/** The text as a value; one that is too long is reported. */
export function limited(text: string, span: Span, context: Context): Value {
  if (text.length <= longest) return { kind: "string", value: text };
  const allowed = "at most 1_000_000 characters long";
  context.report(outOfRange(span, { what: "this text", found: "longer than a text can be", allowed }));
  return unknown;
}
