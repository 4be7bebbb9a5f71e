/** `stage pretrain` with lines below it and their `}`: the brace that opens is missing. */
import { bracketMissing } from "../../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { endOf, makeToken, type Token, type TokenType } from "../../lexer/token.ts";
import {
  Colon,
  Comma,
  Dot,
  Identifier,
  LeftBrace,
  Newline,
  RightBrace,
  StringToken,
} from "../../lexer/vocabulary.ts";
import type { Source, Span } from "../../source/source.ts";
import { indentAt, lineStartOf } from "./indentation.ts";

/** For a `}` that begins its line, behind a token at `end`: the last token of the line above, no deeper, below which deeper lines follow. */
export function headerOf(
  source: Source,
  tokens: readonly Token[],
  end: number,
  closing: Token,
  indent: number,
): number | null {
  if (closing.tokenType !== RightBrace || lineStartOf(source, closing) === null) return null;
  let deeper = false;
  let last: number | null = null;
  let isHeader = true;
  for (let at = end; at >= 0; at--) {
    const token = tokens[at];
    if (token === undefined || token.tokenType === Newline) {
      last = null;
      isHeader = true;
      continue;
    }
    last ??= at;
    isHeader &&= inHeader.has(token.tokenType) || (token.tokenType === Colon && at === last);
    const before = tokens[at - 1];
    if (before !== undefined && before.tokenType !== Newline) continue;
    const column = indentAt(source, lineStartOf(source, token) ?? 0);
    if (column <= indent) return deeper && isHeader ? last : null;
    deeper = true;
  }
  return null;
}

const inHeader = new Set<TokenType>([Identifier, StringToken, Dot, Comma]);

/** What is told of it, and where the brace belongs; `stage pretrain:` has a colon in its place. */
export function missingBrace(
  source: Source,
  tokens: readonly Token[],
  header: number,
  closing: Token,
): { readonly diagnostic: Diagnostic; readonly brace: Token; readonly isColon: boolean } {
  const colon = tokens[header]?.tokenType === Colon ? tokens[header] : undefined;
  const offset = endOf(tokens[colon === undefined ? header : header - 1] ?? closing);
  const span: Span = { source, start: offset, end: colon === undefined ? offset : endOf(colon) };
  const title = colon === undefined ? "insert `{`" : "write `{`";
  const fixes = [{ title, edits: [{ span, newText: " {" }] }];
  const closed: Span = { source, start: closing.startOffset, end: endOf(closing) };
  const related = [{ message: "closed here", span: closed }];
  return {
    diagnostic: bracketMissing(span, { close: closing.image }, { related, fixes }),
    brace: makeToken(LeftBrace, "", offset),
    isColon: colon !== undefined,
  };
}
