import { tooDeep } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, makeToken, retype, type Token, type TokenType } from "../lexer/token.ts";
import * as t from "../lexer/vocabulary.ts";
import type { Source } from "../source/source.ts";
import { deepestBracket } from "./brackets/balance.ts";
import { closerOf, closingOf, isCloser } from "./brackets/closers.ts";
import { documentation } from "./documentation.ts";
import { readWord, type Opened } from "./words.ts";

export interface Layout {
  /** What the parser reads: no newlines, one separator where something ends, words told from names. */
  readonly tokens: Token[];
  /** Doc comments by the offset at which what they document begins. */
  readonly docs: ReadonlyMap<number, string>;
  readonly fileDoc: string | null;
}

/** After one of these a line goes on. */
const goesOnAfter = new Set<TokenType>([
  ...[t.Plus, t.Minus, t.Star, t.Slash, t.EqualEqual, t.NotEqual, t.Less, t.LessEqual, t.Greater, t.GreaterEqual],
  ...[t.Equal, t.Colon, t.Dot, t.DotDot, t.Arrow, t.Pipe, t.And, t.Or, t.Not, t.Divides, t.Of, t.With, t.In],
  ...[t.If, t.Then, t.Else, t.For, t.Match, t.Extends, t.After, t.On, t.As],
]);

/** Before one of these a line goes on: operators, `-` excepted. */
const goesOnBefore = new Set<TokenType>([
  ...[t.Plus, t.Star, t.Slash, t.EqualEqual, t.NotEqual, t.Less, t.LessEqual, t.Greater, t.GreaterEqual],
  ...[t.Dot, t.DotDot, t.Arrow, t.Pipe, t.And, t.Or],
]);

const headerWords = new Set(["extends", "after", "on"]);
const wordsGoingOn = new Set(["with", "then", "else", "and", "or", "of", "divides"]);

/** Turns newlines and commas into separators, or into nothing where a line goes on, and words into keywords. */
export function layOut(
  source: Source,
  raw: Token[],
  out: Diagnostic[],
  holds: "members" | "value" = "members",
  opensFile = true,
): Layout {
  const { docs, fileDoc, tokens } = documentation(raw, opensFile);
  const result: Token[] = [];
  const file: Opened = { ...nothing, bracket: holds === "members" ? t.LeftBrace : t.LeftSquare };
  const stack: Opened[] = [file];
  let newline: Token | null = null;

  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    const { tokenType } = token;
    if (tokenType === t.Newline) {
      newline ??= token;
      continue;
    }
    const next = tokens[index + 1];
    const previous = result.at(-1);
    const here = stack.at(-1) ?? file;
    if (tokenType === t.Comma) {
      newline = null;
      if (!separates(previous)) continue;
      const inClause = here.clause === t.After && next?.tokenType === t.Identifier && !gives(tokens[index + 2]);
      result.push(inClause ? token : retype(token, t.Separator));
      if (!inClause) beginStatement(here, result);
      continue;
    }
    if (isCloser(tokenType)) {
      if (separates(previous) && tokenType !== t.InterpolationClose) {
        result.push(makeToken(t.Separator, "", endOf(previous ?? token)));
      }
      if (here !== file) stack.pop();
      result.push(token);
      newline = null;
      continue;
    }
    if (newline !== null) {
      if (separates(previous) && !goesOn(here.bracket, previous, tokens, index)) {
        result.push(retype(newline, t.Separator));
        beginStatement(here, result);
      }
      newline = null;
    }
    if (closerOf(tokenType) !== undefined) {
      if (stack.length > deepestBracket) {
        index = skipGroup(source, tokens, index, result, out);
        continue;
      }
      stack.push(open(here, token, result));
      continue;
    }
    if (tokenType === t.Identifier) readWord(source, result, here, tokens, index, out);
    else result.push(token);
  }
  if (separates(result.at(-1)))
    result.push(makeToken(t.Separator, "", endOf(result.at(-1) ?? makeToken(t.Separator, "", 0))));
  return { tokens: result, docs, fileDoc };
}

/** Whether something stands before that a separator could end. */
function separates(previous: Token | undefined): boolean {
  return previous !== undefined && previous.tokenType !== t.Separator && closerOf(previous.tokenType) === undefined;
}

function beginStatement(here: Opened, result: readonly Token[]): void {
  here.clause = null;
  here.match = false;
  if (here.names === "next") here.names = "none";
  here.start = result.length;
}

/** Whether the word before this token is given a value by it. */
function gives(token: Token | undefined): boolean {
  const type = token?.tokenType;
  return type === t.Equal || type === t.Colon || type === t.LessEqual || type === t.GreaterEqual;
}

function goesOn(around: TokenType, previous: Token | undefined, tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  const next = tokens[index + 1];
  if (token === undefined || around === t.InterpolationOpen) return true;
  // No kind has these names: a header goes on.
  if (headerWords.has(token.image) && previous?.tokenType === t.Identifier && next?.tokenType === t.Identifier)
    return around === t.LeftBrace;
  if (isGivenValue(tokens, index) || isDeclared(tokens, index)) return false;
  if (previous !== undefined && goesOnAfter.has(previous.tokenType)) return true;
  if (goesOnBefore.has(token.tokenType)) return true;
  if (token.tokenType === t.LeftBrace) return around === t.LeftBrace;
  if (token.tokenType !== t.Identifier) return false;
  const after = next?.tokenType;
  if (token.image === "for") return around === t.LeftSquare && after === t.Identifier;
  if (!wordsGoingOn.has(token.image) || after === t.Equal || after === t.Colon || after === t.Arrow) return false;
  // Between brackets of values no block can begin.
  if (around !== t.LeftBrace) return true;
  return after !== t.LeftBrace || token.image === "with" || token.image === "then" || token.image === "else";
}

const nothing = { names: "none", arms: false, match: false, clause: null, start: 0 } as const;

function open(around: Opened, token: Token, result: Token[]): Opened {
  const isBrace = token.tokenType === t.LeftBrace;
  const arms = isBrace && around.match && result.at(-1)?.tokenType !== t.With;
  const names = isBrace && around.names === "next" ? "here" : "none";
  around.clause = null;
  if (isBrace && around.names === "next") around.names = "none";
  if (arms) around.match = false;
  result.push(token);
  return { bracket: token.tokenType, names, arms, match: false, clause: null, start: result.length };
}

/** `name =` and `a.b =` begin something new, even where the line before is not complete. */
function isGivenValue(tokens: readonly Token[], index: number): boolean {
  let at = index;
  while (tokens[at]?.tokenType === t.Identifier && tokens[at + 1]?.tokenType === t.Dot) at += 2;
  return tokens[at]?.tokenType === t.Identifier && tokens[at + 1]?.tokenType === t.Equal;
}

/** Two words in a row begin something new as well: a value goes on only with those that say so. */
function isDeclared(tokens: readonly Token[], index: number): boolean {
  const [first, second] = [tokens[index], tokens[index + 1]];
  if (first?.tokenType !== t.Identifier || second?.tokenType !== t.Identifier) return false;
  return !wordsWithin.has(first.image) && !wordsWithin.has(second.image);
}

const wordsWithin = new Set([...wordsGoingOn, "not", "if", "match", "for", "in", "extends", "after", "on", "as"]);

/** Puts a mistake in the place of a bracket that is too deep, and goes behind it. */
function skipGroup(
  source: Source,
  tokens: readonly Token[],
  from: number,
  result: Token[],
  out: Diagnostic[],
): number {
  const first = tokens[from] ?? makeToken(t.Mistake, "", 0);
  if (!out.some((diagnostic) => diagnostic.code === tooDeep.code)) {
    out.push(tooDeep({ source, start: first.startOffset, end: endOf(first) }, {}));
  }
  result.push(makeToken(t.Mistake, first.image, first.startOffset));
  return closingOf(tokens, from) ?? tokens.length;
}
