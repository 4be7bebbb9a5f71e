import { unknownCharacter } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Source } from "../source/source.ts";
import { endOf, makeToken, type Token, type TokenType } from "./token.ts";
import { DotDot, GreaterEqual, Identifier, LessEqual, Minus, Mistake, NotEqual, Star } from "./vocabulary.ts";

/** Characters that stand for an operator, with what is written for them. */
const lookalikes: Readonly<Record<string, readonly [TokenType, string]>> = {
  "≤": [LessEqual, "<="],
  "≥": [GreaterEqual, ">="],
  "≠": [NotEqual, "!="],
  "−": [Minus, "-"],
  "–": [Minus, "-"],
  "×": [Star, "*"],
  "…": [DotDot, ".."],
};

/** Puts a token where the lexer found none: the operator that was meant, the name around it, or a mistake. */
export function readUnknown(
  source: Source,
  tokens: readonly Token[],
  errors: readonly { readonly start: number; readonly length: number }[],
  out: Diagnostic[],
): Token[] {
  const result: Token[] = [];
  let next = 0;
  for (let index = 0; index <= tokens.length; index++) {
    const token = tokens[index];
    const before = token?.startOffset ?? Infinity;
    for (let error = errors[next]; error !== undefined && error.start < before; error = errors[++next]) {
      result.push(readOne(source, error.start, error.length, result, out));
    }
    if (token === undefined) continue;
    const last = result.at(-1);
    if (last?.tokenType === Mistake && endOf(last) === token.startOffset && isWord(token)) {
      last.image += token.image;
    } else result.push(token);
  }
  return result;
}

function readOne(source: Source, start: number, length: number, before: Token[], out: Diagnostic[]): Token {
  const text = source.text.slice(start, start + length);
  const span = { source, start, end: start + length };
  const meant = lookalikes[text];
  if (meant !== undefined) {
    const [type, newText] = meant;
    out.push(
      unknownCharacter(span, { text }, { fixes: [{ title: `write \`${newText}\``, edits: [{ span, newText }] }] }),
    );
    return makeToken(type, text, start);
  }
  const report = (): void => {
    if (text.includes("\ufffd")) return;
    const takesNoRoom = /^[\u200b\u2060\ufeff]+$/.test(text);
    const fixes = takesNoRoom ? [{ title: "leave it out", edits: [{ span, newText: "" }] }] : [];
    out.push(unknownCharacter(span, { text }, { fixes }));
  };
  const last = before.at(-1);
  if (last !== undefined && endOf(last) === start && (isWord(last) || last.tokenType === Mistake)) {
    before.pop();
    if (last.tokenType !== Mistake) report();
    return makeToken(Mistake, last.image + text, last.startOffset);
  }
  report();
  return makeToken(Mistake, text, start);
}

function isWord(token: Token): boolean {
  return token.tokenType === Identifier;
}
