/** Signs and words that say nothing here, or say it in capitals: `+400`, `1..=8`, `1...8`, `a AND b`. */
import { foreignOperator } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, makeToken, repair, type Token, type TokenType } from "../lexer/token.ts";
import * as t from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";
import { closerOf, isCloser } from "./brackets/closers.ts";

const words: Readonly<Record<string, TokenType>> = { AND: t.And, OR: t.Or };

/** Behind these begins a value. */
const before: ReadonlySet<TokenType> = new Set([t.Equal, t.Comma, t.DotDot, t.LessEqual, t.GreaterEqual]);

const endsValue = ({ tokenType }: Token): boolean =>
  tokenType === t.Identifier || tokenType === t.NumberToken || tokenType === t.StringToken || isCloser(tokenType);

export function isStrayOperator(token: Token, index: number, tokens: readonly Token[]): boolean {
  const { tokenType } = token;
  if (tokenType !== t.Plus && tokenType !== t.Equal && tokenType !== t.Dot && tokenType !== t.Identifier)
    return false;
  const last = tokens[index - 1];
  const next = tokens[index + 1];
  if (last === undefined || next === undefined) return false;
  if (tokenType === t.Plus)
    return next.tokenType === t.NumberToken && (before.has(last.tokenType) || closerOf(last.tokenType) !== undefined);
  if (tokenType === t.Equal || tokenType === t.Dot)
    return last.tokenType === t.DotDot && endOf(last) === token.startOffset && next.startOffset === endOf(token);
  const goesOn =
    next.tokenType === t.Identifier || next.tokenType === t.NumberToken || next.tokenType === t.LeftParen;
  return tokenType === t.Identifier && Object.hasOwn(words, token.image) && endsValue(last) && goesOn;
}

/** Leaves it out, or reads the word that is meant. */
export function readStrayOperator(source: Source, token: Token, result: Token[], out: Diagnostic[]): void {
  const span: Span = { source, start: token.startOffset, end: endOf(token) };
  const type = token.tokenType === t.Identifier ? words[token.image] : undefined;
  if (type === undefined) {
    const isRange = token.tokenType !== t.Plus;
    const found = isRange ? `..${token.image}` : token.image;
    const instead = isRange ? "a range `a..b` includes both ends" : "positive numbers have no sign";
    const title = isRange ? "write `..`" : "remove it";
    out.push(foreignOperator(span, { found, instead }, { fixes: [{ title, edits: [{ span, newText: "" }] }] }));
    return;
  }
  const word = token.image.toLowerCase();
  const fixes = [{ title: `write \`${word}\``, edits: [{ span, newText: word }] }];
  out.push(foreignOperator(span, { found: token.image, instead: `write \`${word}\`` }, { fixes }));
  result.push(repair(makeToken(type, word, token.startOffset)));
}
