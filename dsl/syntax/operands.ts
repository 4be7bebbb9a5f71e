/** What an operator of another language joins, where it is plain enough to be written anew. */
import type { Token } from "../lexer/token.ts";
import { Dot, Identifier, Minus, NumberToken, Slash, Star } from "../lexer/vocabulary.ts";
import { isCloser } from "./brackets/closers.ts";

/** A number, or a name with those behind its dots, that ends or begins at this index; `null` where something else stands there. */
export function pathFrom(tokens: readonly Token[], index: number, by: 1 | -1): readonly Token[] | null {
  const found: Token[] = [];
  for (let at = index; ; at += 2 * by) {
    const atom = tokens[at];
    if (atom?.tokenType !== Identifier && !(atom?.tokenType === NumberToken && found.length === 0)) return null;
    found.push(atom);
    const dot = tokens[at + by];
    if (dot?.tokenType !== Dot || atom.tokenType === NumberToken) break;
    found.push(dot);
  }
  return by > 0 ? found : found.reverse();
}

export const textOf = (path: readonly Token[]): string => path.map(({ image }) => image).join("");

/** Whether what stands before an operand is multiplied or divided with it, or called. */
export function goesOnWith(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index]?.tokenType;
  return before === Star || before === Slash || before === Minus || (before !== undefined && isCloser(before));
}
