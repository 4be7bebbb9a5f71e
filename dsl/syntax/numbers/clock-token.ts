import { clockTime } from "../../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { endOf, makeToken, type Token } from "../../lexer/token.ts";
import { Colon, LeftSquare, Minus, NumberToken } from "../../lexer/vocabulary.ts";
import type { Source, Span } from "../../source/source.ts";
import type { NumberLiteral } from "../ast.ts";
import { clockDuration } from "./clock.ts";
import { write } from "./write.ts";

interface Read {
  readonly token: Token;
  /** Index of the last token it takes up. */
  readonly last: number;
}

/** Slurm's `[days-]hours:minutes:seconds` and `minutes:seconds`, glued. */
export function readClock(source: Source, tokens: readonly Token[], index: number, out: Diagnostic[]): Read | null {
  const glued = tokens[index + 1]?.tokenType;
  if (glued !== Colon && glued !== Minus) return null;
  const parts: string[] = [];
  let days: string | null = null;
  let last = index;
  for (let at = index; ; at += 2) {
    const number = tokens[at];
    const glue = tokens[at + 1];
    const next = tokens[at + 2];
    if (number?.tokenType !== NumberToken || !/^\d+$/.test(number.image)) break;
    parts.push(number.image);
    last = at;
    if (glue?.startOffset !== endOf(number) || next?.startOffset !== endOf(glue)) break;
    if (glue.tokenType === Minus && days === null && parts.length === 1) days = parts.pop() ?? null;
    else if (glue.tokenType !== Colon) break;
  }
  if (parts.length < 2 || parts.length > 3 || tokens[index - 1]?.tokenType === LeftSquare) return null;
  const [a = "0", b = "0", c] = parts;
  const [unit, amount] = clockDuration(days ?? undefined, a, b, c);
  const start = tokens[index]?.startOffset ?? 0;
  const span: Span = { source, start, end: endOf(tokens[last] ?? makeToken(NumberToken, "", start)) };
  const text = source.text.slice(span.start, span.end);
  out.push(clockTime(span, { text }, { fixes: [write(span, `${amount} ${unit}`)] }));
  const literal: NumberLiteral = {
    kind: "number",
    span,
    value: amount,
    scale: null,
    unit: { kind: "unit", span, numerator: [unit], denominator: [] },
    fractional: false,
  };
  return { token: makeToken(NumberToken, text, start, literal), last };
}
