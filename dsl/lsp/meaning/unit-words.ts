import type { Span } from "../../source/source.ts";
import type { NumberLiteral } from "../../syntax/ast.ts";
import { units } from "../../types/units.ts";
import type { Type } from "../../kind.ts";
import type { Place, Words } from "./place.ts";

/** Each word of a unit: `usd`, `gpu` and `h` of `usd/gpu/h`. */
export function unitWords(
  literal: NumberLiteral,
  span: Span,
  of: { readonly whole: string | null; readonly expected: Type | null },
  place: Place,
  say: Words["say"],
): void {
  const text = span.source.text.slice(span.start, span.end);
  for (const match of text.matchAll(/%|[A-Za-z_]+/g)) {
    if (!units.has(match[0])) continue;
    const start = span.start + match.index;
    say(
      { span: { ...span, start, end: start + match[0].length }, text: match[0] },
      { kind: "unit", name: match[0], literal, ...of },
      place,
    );
  }
}
