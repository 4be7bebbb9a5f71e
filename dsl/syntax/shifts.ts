import { endOf, type Token } from "../lexer/token.ts";
import * as t from "../lexer/vocabulary.ts";
import { isCloser } from "./brackets/closers.ts";

/** Two signs without a blank between them, and a value on either side: YAML's merge key and a heredoc have none before them. */
export function isShift(tokens: readonly Token[], index: number): boolean {
  const sign = tokens[index];
  if (sign?.tokenType !== t.Less && sign?.tokenType !== t.Greater) return false;
  const again = tokens[index + 1];
  if (again?.tokenType !== sign.tokenType || again.startOffset !== endOf(sign)) return false;
  const before = tokens[index - 1]?.tokenType;
  const after = tokens[index + 2]?.tokenType;
  const hasLeft = before === t.Identifier || before === t.NumberToken || (before !== undefined && isCloser(before));
  return hasLeft && (after === t.Identifier || after === t.NumberToken || after === t.LeftParen);
}
