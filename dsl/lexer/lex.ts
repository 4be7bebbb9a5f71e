import { encoding, foreignImport, hashComment, tooDeep } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Edit } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../source/source.ts";
import { withoutConflicts } from "./conflicts.ts";
import { expandString } from "./expand-string.ts";
import { foreignImportOf } from "./foreign-imports.ts";
import { type Scan, scan } from "./scan.ts";
import { isPrefix, prefixedString } from "./string-prefix.ts";
import { endOf, makeToken, type Token } from "./token.ts";
import { readUnknown } from "./unknown.ts";
import { Comment, Mistake, StringToken } from "./vocabulary.ts";

export interface Lexed {
  /** Every token with the newlines and doc comments among them; strings with interpolations are opened up. */
  readonly tokens: Token[];
  /** Comments and doc comments, in order. */
  readonly comments: readonly Token[];
  readonly diagnostics: Diagnostic[];
}

/** How deep strings may stand in interpolations of strings. */
const deepest = 8;

const ofUtf16 = "Save the file as UTF-8; `iconv -f utf-16 -t utf-8` converts one in UTF-16, as this seems to be.";

/** The tokens of a source, or of a stretch of it. */
export function lex(source: Source, start = 0, end = source.text.length, depth = 0): Lexed {
  const whole = end - start === source.text.length;
  const undecoded = whole ? source.text.indexOf("\ufffd") : -1;
  // Two bytes that are no UTF-8 begin a file in UTF-16, of which nothing can be read.
  if (undecoded === 0 && source.text.startsWith("\ufffd\ufffd")) {
    return { tokens: [], comments: [], diagnostics: [encoding({ source, start: 0, end: 2 }, {}, { fix: ofUtf16 })] };
  }
  const diagnostics: Diagnostic[] =
    undecoded < 0 ? [] : [encoding({ source, start: undecoded, end: undecoded + 1 }, {})];
  const text = whole ? withoutConflicts(source, diagnostics) : source.text;
  const { tokens: all, comments, errors, hasStringsToOpen } = scanned(text, start, end);
  for (const comment of comments) if (comment.tokenType === Comment) reportComment(source, comment, diagnostics);
  const tokens = errors.length === 0 ? all : readUnknown(source, all, errors, diagnostics);
  return {
    tokens: hasStringsToOpen ? withOpenStrings(source, tokens, depth, diagnostics) : tokens,
    comments,
    diagnostics,
  };
}

/** A stretch that ends within a token is read as a text of its own. */
function scanned(text: string, start: number, end: number): Scan {
  const found = scan(text, start, end);
  if (found !== null) return found;
  const alone = scan(text.slice(start, end), 0, end - start);
  if (alone === null) throw new Error("no token goes beyond the end of its text");
  const moved = (token: Token): Token => ({ ...token, startOffset: token.startOffset + start });
  return {
    tokens: alone.tokens.map(moved),
    comments: alone.comments.map(moved),
    errors: alone.errors.map((error) => ({ ...error, start: error.start + start })),
    hasStringsToOpen: alone.hasStringsToOpen,
  };
}

function withOpenStrings(source: Source, read: readonly Token[], depth: number, out: Diagnostic[]): Token[] {
  const inner = (from: number, to: number): readonly Token[] => {
    if (depth >= deepest) {
      out.push(tooDeep({ source, start: from, end: to }, {}));
      return [makeToken(Mistake, "", from)];
    }
    const { tokens, diagnostics } = lex(source, from, to, depth + 1);
    for (const diagnostic of diagnostics) out.push(diagnostic);
    return tokens;
  };
  // A copy is as long as what comes of it, most often; an empty array would be copied again and again as it grows.
  const tokens = read.slice();
  let kept = 0;
  for (const token of read) {
    const before = tokens[kept - 1];
    if (token.tokenType === StringToken && isPrefix(before, token)) {
      tokens[kept - 1] = prefixedString(source, before, token, out);
    } else if (token.tokenType === StringToken && token.payload === undefined) {
      for (const piece of expandString(source, token, inner, out)) tokens[kept++] = piece;
    } else tokens[kept++] = token;
  }
  tokens.length = kept;
  return tokens;
}

function reportComment(source: Source, token: Token, diagnostics: Diagnostic[]): void {
  if (token.image.startsWith("//")) return;
  const span: Span = { source, start: token.startOffset, end: endOf(token) };
  const included = /^#[ \t]*(?=include\b)/.exec(token.image)?.[0].length;
  const brought = included === undefined ? null : foreignImportOf(source.text, span.start + included);
  if (brought !== null) {
    const fix = { title: `write \`${brought.written}\``, edits: [{ span, newText: brought.written }] };
    diagnostics.push(foreignImport(span, { word: "#include", written: brought.written }, { fixes: [fix] }));
    return;
  }
  const text = /^(?:#|--)/.test(token.image)
    ? token.image.replace(/^(?:#+!?|--)/, "//")
    : token.image
        .replace(/^(?:\/\*+|<!--)[ \t]*/, "// ")
        .replace(/\s*(?:\*\/|-->)?$/, "")
        .replaceAll(/(\r\n|\n|\r)([ \t]*)\*?[ \t]*/g, "$1$2// ");
  const head: Span = { ...span, end: span.start + token.image.replace(/[\r\n][^]*/, "").length };
  const edit = lineComment(span, text);
  const fixes = edit === null ? [] : [{ title: "write `//`", edits: [edit] }];
  diagnostics.push(hashComment(head, {}, { fixes }));
}

/**
 * The comment written with `//`, which takes the rest of its line: what stands there goes to the next one where the comment
 * begins its line; `null` within a line, where none may end.
 */
function lineComment(span: Span, newText: string): Edit | null {
  const { source, start, end } = span;
  const [, blanks = "", rest] = /^([ \t]*)([^\r\n]?)/.exec(source.text.slice(end)) ?? [];
  if (rest === "") return { span, newText };
  const indent = /(?<![^\r\n])[ \t]*$/.exec(source.text.slice(0, start))?.[0];
  if (indent === undefined) return null;
  const newline = /\r\n|\n|\r/.exec(source.text)?.[0] ?? "\n";
  return { span: { ...span, end: end + blanks.length }, newText: `${newText}${newline}${indent}` };
}
