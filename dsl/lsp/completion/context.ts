/**
 * Where the cursor stands, read from the tokens before it: what is written after it, or not yet, does not matter. So completion
 * works in half-written code.
 */
import { lex } from "../../lexer/lex.ts";
import { endOf, type Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Source } from "../../source/source.ts";
import { closerOf, isCloser } from "../../syntax/brackets/closers.ts";
import { statementWords } from "../../syntax/words.ts";

/** An open `{`, `(` or `[`, and the tokens of the statement or item before it. */
export interface Opened {
  readonly bracket: "{" | "(" | "[";
  /** From the beginning of its statement to the bracket. */
  readonly head: readonly Token[];
  /** From the bracket, the items that are complete: arguments that were given. */
  readonly items: readonly (readonly Token[])[];
}

export interface Cursor {
  /** All that stands before the word. */
  readonly tokens: readonly Token[];
  /** From the outside in. */
  readonly open: readonly Opened[];
  /** The statement or item that the cursor is in, without the word that is being written. */
  readonly line: readonly Token[];
  /** The word that is being written, and where it begins. */
  readonly word: string;
  readonly start: number;
  /** Inside the quotes of a text: what is written of it. */
  readonly inString: string | null;
  readonly inComment: boolean;
  /** Whether the word touches the token before it: `20B` and `tokens` of `20B tokens` do not. */
  readonly touches: boolean;
}

export function cursorAt(source: Source, offset: number): Cursor {
  const before = source.text.slice(0, offset);
  const { tokens, comments } = lex({ path: source.path, text: before });
  const comment = comments.at(-1);
  const inComment = comment !== undefined && endOf(comment) === offset && !comment.image.endsWith("*/");
  const own = before.slice(Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1);
  const last = tokens.at(-1);
  const isString = last?.tokenType === t.StringToken && !/^"(?:[^"\\]|\\.)*"$|^"""[^]*"""$/.test(last.image);
  const inner = isString ? /\$\{([^{}]*)$/.exec(last.image)?.[1] : undefined;
  if (inner !== undefined) {
    // What is written in `${…` is an expression that stands where its text does.
    const from = last?.startOffset ?? 0;
    const blank = " ".repeat(offset - from - inner.length);
    return cursorAt({ path: source.path, text: before.slice(0, from) + blank + inner }, offset);
  }
  const isText = last?.tokenType === t.StringText || last?.tokenType === t.StringOpen;
  const isWord = last?.tokenType === t.Identifier && endOf(last) === offset;
  const done = isWord || isString ? tokens.slice(0, -1) : tokens;
  const { open, line } = opened(done);
  const previous = done.at(-1);
  const start = isWord ? last.startOffset : offset;
  return {
    tokens: done,
    open,
    line,
    word: isWord ? last.image : "",
    start: isString ? last.startOffset + 1 : start,
    inString: isString ? last.image.slice(1) : isText ? own : null,
    inComment,
    touches: previous !== undefined && endOf(previous) === start,
  };
}

function opened(tokens: readonly Token[]): { open: Opened[]; line: readonly Token[] } {
  const open: { bracket: Opened["bracket"]; head: Token[]; items: Token[][] }[] = [];
  let line: Token[] = [];
  for (const [index, token] of tokens.entries()) {
    const { tokenType } = token;
    if (tokenType === t.Newline || tokenType === t.Comma) {
      if (tokenType === t.Newline && goesOn(line, tokens, index)) continue;
      if (line.length > 0) open.at(-1)?.items.push(line);
      line = [];
    } else if (tokenType === t.Doc) continue;
    else if (closerOf(tokenType) !== undefined) {
      open.push({ bracket: bracketOf(token), head: line, items: [] });
      line = [];
    } else if (isCloser(tokenType)) {
      const around = open.pop();
      line = around === undefined ? [] : [...around.head, token];
    } else line.push(token);
  }
  return { open, line };
}

const bracketOf = (token: Token): Opened["bracket"] =>
  token.tokenType === t.LeftParen ? "(" : token.tokenType === t.LeftSquare ? "[" : "{";

const needsMore = new Set([
  ...[t.Equal, t.Colon, t.Dot, t.DotDot, t.Plus, t.Star, t.Slash, t.LessEqual, t.GreaterEqual, t.Less, t.Greater],
  ...[t.EqualEqual, t.NotEqual, t.Pipe, t.Arrow],
]);

/** After an operator a line goes on, unless the next one begins something: `lr =` and then `betas = …`. */
function goesOn(line: readonly Token[], tokens: readonly Token[], index: number): boolean {
  const last = line.at(-1);
  if (last === undefined || !needsMore.has(last.tokenType)) return false;
  const next = tokens.slice(index + 1).filter((token) => token.tokenType !== t.Newline);
  const [first, second] = next;
  if (first === undefined) return false;
  return !(second?.tokenType === t.Equal || statementWords.has(first.image) || second?.tokenType === t.LeftBrace);
}
