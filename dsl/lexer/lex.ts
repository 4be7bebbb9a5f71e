import { Lexer } from "chevrotain";
import { encoding, hashComment, tooDeep } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../source/source.ts";
import { withoutConflicts } from "./conflicts.ts";
import { expandString } from "./expand-string.ts";
import { isPrefix, prefixedString } from "./string-prefix.ts";
import { endOf, makeToken, type Token } from "./token.ts";
import { readUnknown } from "./unknown.ts";
import { Comment, Doc, lexed, Mistake, StringToken } from "./vocabulary.ts";

export interface Lexed {
  /** Every token with the newlines and doc comments among them; strings with interpolations are opened up. */
  readonly tokens: Token[];
  /** Comments and doc comments, in order. */
  readonly comments: readonly Token[];
  readonly diagnostics: Diagnostic[];
}

/** How deep strings may stand in interpolations of strings. */
const deepest = 8;

let instance: Lexer | undefined;

function lexer(): Lexer {
  return (instance ??= new Lexer(lexed, { positionTracking: "onlyOffset", skipValidations: true }));
}

/** The tokens of a source, or of a stretch of it. */
export function lex(source: Source, start = 0, end = source.text.length, depth = 0): Lexed {
  const whole = end - start === source.text.length;
  const undecoded = whole ? source.text.indexOf("\ufffd") : -1;
  // Two bytes that are no UTF-8 begin a file in UTF-16, of which nothing can be read.
  if (undecoded === 0 && source.text.startsWith("\ufffd\ufffd")) {
    return { tokens: [], comments: [], diagnostics: [encoding({ source, start: 0, end: 2 }, {})] };
  }
  const diagnostics: Diagnostic[] =
    undecoded < 0 ? [] : [encoding({ source, start: undecoded, end: undecoded + 1 }, {})];
  const text = whole ? withoutConflicts(source, diagnostics) : source.text.slice(start, end);
  const result = lexer().tokenize(text);
  const all: Token[] = result.tokens;
  if (start > 0) {
    for (const token of all) token.startOffset += start;
  }
  const comments: Token[] = [];
  const errors = result.errors.map((error) => ({ start: error.offset + start, length: error.length }));
  const read = errors.length === 0 ? all : readUnknown(source, all, errors, diagnostics);
  // A copy is as long as what comes of it, most often; an empty array would be copied again and again as it grows.
  const tokens = read.slice();
  let kept = 0;
  for (const token of read) {
    if (token.tokenType === Comment) {
      comments.push(token);
      reportComment(source, token, diagnostics);
    } else if (token.tokenType === StringToken && isPrefix(tokens[kept - 1], token)) {
      tokens[kept - 1] = prefixedString(source, tokens[kept - 1] ?? token, token, diagnostics);
    } else if (token.tokenType === StringToken && token.payload === undefined) {
      const inner = (from: number, to: number): readonly Token[] => {
        const span: Span = { source, start: from, end: to };
        if (depth >= deepest) {
          diagnostics.push(tooDeep(span, {}));
          return [makeToken(Mistake, "", from)];
        }
        const result = lex(source, from, to, depth + 1);
        for (const diagnostic of result.diagnostics) diagnostics.push(diagnostic);
        return result.tokens;
      };
      for (const piece of expandString(source, token, inner, diagnostics)) tokens[kept++] = piece;
    } else {
      if (token.tokenType === Doc) comments.push(token);
      tokens[kept++] = token;
    }
  }
  tokens.length = kept;
  return { tokens, comments, diagnostics };
}

function reportComment(source: Source, token: Token, diagnostics: Diagnostic[]): void {
  if (token.image.startsWith("//")) return;
  const span: Span = { source, start: token.startOffset, end: endOf(token) };
  const text = /^(?:#|--)/.test(token.image)
    ? token.image.replace(/^(?:#+!?|--)/, "//")
    : token.image
        .replace(/^(?:\/\*+|<!--)[ \t]*/, "// ")
        .replace(/\s*(?:\*\/|-->)?$/, "")
        .replaceAll(/(\r\n|\n|\r)([ \t]*)\*?[ \t]*/g, "$1$2// ");
  const head: Span = { ...span, end: span.start + token.image.replace(/[\r\n][^]*/, "").length };
  diagnostics.push(hashComment(head, {}, { fixes: [{ title: "write `//`", edits: [{ span, newText: text }] }] }));
}
