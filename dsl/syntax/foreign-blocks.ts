/** What other languages put below a line without braces: deeper lines behind a `:`, text behind `|`, the lines of a section. */
import { type Token, type TokenType } from "../lexer/token.ts";
import {
  Colon,
  Dot,
  Equal,
  Greater,
  Identifier,
  LeftSquare,
  Minus,
  Newline,
  Pipe,
  Plus,
  RightSquare,
  StringToken,
} from "../lexer/vocabulary.ts";
import type { Source } from "../source/source.ts";
import { closerOf, isCloser } from "./brackets/closers.ts";
import { columnOf } from "./dashes.ts";

/** The line is one mistake; so that what belongs to it is no other one, it is left out. */
export interface ForeignBlock {
  /** Index of the last token that is read. */
  readonly kept: number;
  /** Whether a value is expected where the block stood. */
  readonly isValue: boolean;
  /** Index of the last token of the block. */
  readonly last: number;
}

/** Whether a token may be where such a block begins. */
export function opensForeignBlock(token: Token, index: number, tokens: readonly Token[]): boolean {
  const next = tokens[index + 1]?.tokenType;
  switch (token.tokenType) {
    case Colon:
      return next === Newline || next === Greater || next === Pipe;
    case Equal:
      return next === Greater || next === Pipe;
    case LeftSquare:
      return startsLine(tokens, index);
    default:
      return false;
  }
}

/** The block that begins at a token for which `opensForeignBlock` holds, among members. */
export function foreignBlock(source: Source, tokens: readonly Token[], index: number): ForeignBlock | null {
  if (tokens[index]?.tokenType === LeftSquare) return sectionLines(tokens, index);
  const sign = tokens[index + 1]?.tokenType;
  let lineEnd = index + 1;
  if (sign === Greater || sign === Pipe) {
    lineEnd += 1;
    const chomps = tokens[lineEnd]?.tokenType;
    if (chomps === Minus || chomps === Plus) lineEnd += 1;
  }
  if (tokens[lineEnd]?.tokenType !== Newline) return null;
  const last = deeperLines(source, tokens, index, lineEnd);
  if (last === lineEnd) return null;
  if (tokens[index]?.tokenType === Equal) return { kept: lineEnd - 1, isValue: false, last };
  const holds = sign !== Newline || holdsMembers(tokens, index, lineEnd + 1);
  return holds ? { kept: index, isValue: true, last } : null;
}

/** A type, or one value, may well stand below its `:`; dashes are a list. */
function holdsMembers(tokens: readonly Token[], colon: number, below: number): boolean {
  const head = tokens[lineStart(tokens, colon)]?.image ?? "";
  if (/^(param|let|fn)$/.test(head)) return false;
  let at = below;
  while (tokens[at]?.tokenType === Newline) at += 1;
  if (tokens[at]?.tokenType === Minus) return false;
  if (opensStatement.test(head)) return true;
  for (; tokens[at] !== undefined && tokens[at]?.tokenType !== Newline; at++) {
    const type = tokens[at]?.tokenType;
    if (type === Colon || type === Equal) return true;
  }
  return false;
}

const opensStatement = /^(if|elif|else|for|while|def|class|try|except|finally|with|match|case)$/;

/** The last token of the lines below that stand deeper than the one with `index`, or `lineEnd` where there are none. */
function deeperLines(source: Source, tokens: readonly Token[], index: number, lineEnd: number): number {
  const column = columnOf(source, tokens[lineStart(tokens, index)]);
  let last = lineEnd;
  let depth = 0;
  for (let at = lineEnd; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    const { tokenType } = token;
    if (tokenType === Newline) continue;
    if (isCloser(tokenType)) depth -= 1;
    if (depth < 0) break;
    if (depth === 0 && startsLine(tokens, at) && columnOf(source, token) <= column) break;
    if (closerOf(tokenType) !== undefined) depth += 1;
    last = at;
  }
  return last;
}

/** `[a.b]` or `[[a]]` alone on its line, and the lines `name = value` and further sections below it. */
function sectionLines(tokens: readonly Token[], index: number): ForeignBlock | null {
  const end = sectionEnd(tokens, index);
  if (end === null) return null;
  let last = end - 1;
  for (let at = end + 1; at < tokens.length; at++) {
    if (tokens[at]?.tokenType === Newline) continue;
    const another = sectionEnd(tokens, at);
    if (another !== null) {
      last = another - 1;
      at = another;
      continue;
    }
    let sign = at;
    while (tokens[sign]?.tokenType === Identifier && tokens[sign + 1]?.tokenType === Dot) sign += 2;
    if (tokens[sign]?.tokenType !== Identifier || tokens[sign + 1]?.tokenType !== Equal) break;
    let depth = 0;
    for (; at < tokens.length && (depth > 0 || tokens[at]?.tokenType !== Newline); at++) {
      const type = tokens[at]?.tokenType ?? Newline;
      if (closerOf(type) !== undefined) depth += 1;
      else if (isCloser(type)) depth -= 1;
      if (depth < 0) return { kept: end - 1, isValue: false, last };
      last = at;
    }
  }
  return { kept: end - 1, isValue: false, last };
}

/** The index of the line break behind a section's line. */
function sectionEnd(tokens: readonly Token[], index: number): number | null {
  if (tokens[index]?.tokenType !== LeftSquare) return null;
  let end = index;
  while (inSection.has(tokens[end]?.tokenType ?? Newline)) end += 1;
  return tokens[end]?.tokenType === Newline && tokens[end - 1]?.tokenType === RightSquare ? end : null;
}

const inSection = new Set<TokenType>([LeftSquare, RightSquare, Identifier, Dot, StringToken]);

function lineStart(tokens: readonly Token[], index: number): number {
  let at = index;
  while (!startsLine(tokens, at)) at -= 1;
  return at;
}

function startsLine(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.tokenType;
  return before === undefined || before === Newline;
}
