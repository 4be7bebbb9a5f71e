import { type Token, type TokenType } from "../../lexer/token.ts";
import type { Source } from "../../source/source.ts";
import { closerOf, isCloser } from "./closers.ts";
import { repair, type Repaired } from "./repair.ts";

/** Makes brackets balance. Where they do not, indentation tells which one is missing, if that explains more. */
export function balance(source: Source, tokens: Token[]): Repaired {
  if (isBalanced(tokens)) return { tokens, diagnostics: [] };
  if (isTooDeep(tokens)) return { ...repair(source, tokens, { byIndent: false, replace: false }), diagnostics: [] };
  const repairs = [
    repair(source, tokens, { byIndent: true, replace: true, ownLine: true }),
    repair(source, tokens, { byIndent: true, replace: true }),
    repair(source, tokens, { byIndent: true, replace: false }),
    repair(source, tokens, { byIndent: false, replace: true }),
    repair(source, tokens, { byIndent: false, replace: false }),
    repair(source, tokens, { byIndent: true, replace: false, drop: true }),
  ];
  return repairs.reduce((best, each) => (each.diagnostics.length < best.diagnostics.length ? each : best));
}

function isBalanced(tokens: readonly Token[]): boolean {
  const open: TokenType[] = [];
  for (const { tokenType } of tokens) {
    const closer = closerOf(tokenType);
    if (closer !== undefined) open.push(closer);
    else if (isCloser(tokenType) && open.pop() !== tokenType) return false;
  }
  return open.length === 0;
}

/** Brackets deeper than this are a diagnostic of their own: the parser recurses. */
export const deepestBracket = 64;

function isTooDeep(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const { tokenType } of tokens) {
    if (closerOf(tokenType) !== undefined) depth += 1;
    else if (isCloser(tokenType)) depth = Math.max(0, depth - 1);
    if (depth > deepestBracket) return true;
  }
  return false;
}
