/** What stands at the beginning of a line. */
import type { Token } from "../lexer/token.ts";
import { Doc, Newline } from "../lexer/vocabulary.ts";

/** The word that the line of a token begins with. */
export function wordOfLine(tokens: readonly Token[], index: number): string | undefined {
  let at = index;
  while (at > 0 && tokens[at - 1]?.tokenType !== Newline && tokens[at - 1]?.tokenType !== Doc) at -= 1;
  return tokens[at]?.image;
}

export function startsLine(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.tokenType;
  return before === undefined || before === Newline || before === Doc;
}
