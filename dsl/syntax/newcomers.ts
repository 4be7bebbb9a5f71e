/** What other languages write, by where it stands. */
import { foreignForm, foreignOperator } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, makeToken, type Token, type TokenType } from "../lexer/token.ts";
import {
  Colon,
  Comma,
  Doc,
  Equal,
  ForeignOperator,
  Identifier,
  LeftBrace,
  LeftSquare,
  Minus,
  Mistake,
  Newline,
  Star,
} from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";
import { closerOf, isCloser } from "./brackets/closers.ts";
import { dashedItems, dashesInList, readDash } from "./dashes.ts";
import { foreignBlock, opensForeignBlock } from "./foreign-blocks.ts";
import { isFlag, readFlag } from "./flags.ts";
import { readForeign } from "./read-foreign.ts";
import { readShift } from "./read-shift.ts";
import { isShift } from "./shifts.ts";
import { isStrayOperator, readStrayOperator } from "./stray-operators.ts";
import { startsLine } from "./token-lines.ts";

/** Reads what other languages write as what it means here, with a diagnostic for each. */
export function readNewcomers(source: Source, tokens: Token[], out: Diagnostic[]): Token[] {
  if (!tokens.some(isForeign)) return tokens;
  const result: Token[] = [];
  const dropped = new Set<Token>();
  const open: { readonly type: TokenType; readonly at: number }[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    const { tokenType } = token;
    if (tokenType === ForeignOperator) {
      const around = open.at(-1);
      const inArms = around?.type === LeftBrace && opensArms(result, around.at);
      readForeign(source, tokens, index, inArms, result, out);
      continue;
    }
    if (isStrayOperator(token, index, tokens)) {
      readStrayOperator(source, token, result, out);
      continue;
    }
    if (isShift(tokens, index)) {
      readShift(source, tokens, index, result, out);
      index += 1;
      continue;
    }
    if (tokenType === Minus && startsLine(tokens, index) && isDocumentStart(source, token)) {
      const span: Span = { source, start: token.startOffset, end: token.startOffset + 3 };
      const fixes = [{ title: "remove it", edits: [{ span, newText: "" }] }];
      out.push(
        foreignOperator(span, { found: "---", instead: "a file needs no marker at its beginning" }, { fixes }),
      );
      index += 2;
      continue;
    }
    const holdsMembers = open.length === 0 || open.at(-1)?.type === LeftBrace;
    const block =
      holdsMembers && opensForeignBlock(token, index, tokens) ? foreignBlock(source, tokens, index) : null;
    if (block !== null) {
      for (let at = index; at <= block.kept; at++) result.push(tokens[at] ?? token);
      if (block.isValue) result.push(makeToken(Mistake, "", endOf(token)));
      index = block.last;
      continue;
    }
    if (holdsMembers && isBullet(tokens, index)) {
      const span: Span = { source, start: token.startOffset, end: tokens[index + 1]?.startOffset ?? endOf(token) };
      const fixes = [{ title: "remove it", edits: [{ span, newText: "" }] }];
      out.push(
        foreignOperator({ ...span, end: endOf(token) }, { found: "*", instead: "members need no bullet" }, { fixes }),
      );
      continue;
    }
    if (holdsMembers && isFlag(tokens, index)) {
      index = readFlag(source, tokens, index, result, out);
      continue;
    }
    if (isColonBehindBranch(token, index, tokens)) {
      const span: Span = { source, start: token.startOffset, end: endOf(token) };
      const written = `${tokens[index - 1]?.image ?? ""}:`;
      const fixes = [{ title: "remove it", edits: [{ span, newText: "" }] }];
      out.push(foreignForm(span, { written, instead: "no colon follows it" }, { fixes }));
      continue;
    }
    if (tokenType === Minus && holdsMembers && startsLine(tokens, index)) {
      index = readDash(source, tokens, index, result, out);
      continue;
    }
    if (tokenType === Minus && open.at(-1)?.type === LeftSquare && startsLine(tokens, index)) {
      const dashes = dashedItems(source, tokens, index);
      for (const each of dashes) dropped.add(each);
      if (dashes.length > 0) out.push(dashesInList(source, tokens, dashes));
      if (dropped.has(token)) continue;
    }
    if (closerOf(tokenType) !== undefined) open.push({ type: tokenType, at: result.length });
    else if (isCloser(tokenType)) open.pop();
    result.push(token);
  }
  return result;
}

/** A minus is one only where it begins a line. */
function isForeign(token: Token, index: number, tokens: readonly Token[]): boolean {
  if (token.tokenType === ForeignOperator) return true;
  if (token.tokenType === Minus) return startsLine(tokens, index) || isFlag(tokens, index);
  if (token.tokenType === Colon) return isColonBehindBranch(token, index, tokens);
  if (isStrayOperator(token, index, tokens) || isShift(tokens, index)) return true;
  return token.tokenType === Star ? isBullet(tokens, index) : opensForeignBlock(token, index, tokens);
}

/** `* layers = 4` on a line of its own: a product would hold no `=`. */
function isBullet(tokens: readonly Token[], index: number): boolean {
  if (tokens[index]?.tokenType !== Star || tokens[index + 1]?.tokenType !== Identifier) return false;
  const sign = tokens[index + 2]?.tokenType;
  return (sign === Equal || sign === LeftBrace) && startsLine(tokens, index);
}

/** `expect loss < 3 else: warn`: the word goes on with what stands before it, and names nothing. */
function isColonBehindBranch(token: Token, index: number, tokens: readonly Token[]): boolean {
  const word = tokens[index - 1];
  if (token.tokenType !== Colon || (word?.image !== "else" && word?.image !== "then")) return false;
  const before = tokens[index - 2];
  const goesOn = before !== undefined && before.tokenType !== Newline && before.tokenType !== Doc;
  const isNamed = before?.tokenType === Comma || closerOf(before?.tokenType ?? Comma) !== undefined;
  return goesOn && !isNamed && !/^(?:param|let|fn|secret)$/.test(before.image);
}

/** Whether the brace at this index opens the arms of a `match`. */
function opensArms(tokens: readonly Token[], index: number): boolean {
  for (let at = index - 1; at >= 0 && tokens[at]?.tokenType !== Newline; at--) {
    if (tokens[at]?.image === "match") return true;
    if (tokens[at]?.tokenType === LeftBrace) return false;
  }
  return false;
}

/** YAML's `---` on a line of its own. */
function isDocumentStart(source: Source, token: Token): boolean {
  return /^---[ \t]*(?:[\r\n]|$)/.test(source.text.slice(token.startOffset, token.startOffset + 80));
}
