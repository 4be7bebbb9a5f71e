import type { Token } from "../../lexer/token.ts";
import type { Source } from "../../source/source.ts";

/** Columns of blanks before the first token of the line that begins at `start`; a tab goes to the next multiple of 8. */
export function indentAt(source: Source, start: number): number {
  let column = 0;
  for (let at = start; ; at++) {
    const char = source.text[at];
    if (char === " ") column += 1;
    else if (char === "\t") column += 8 - (column % 8);
    else if (char !== "\ufeff") return column;
  }
}

/** Where the line begins that a token is the first of, or `null` where it is not. */
export function lineStartOf(source: Source, token: Token): number | null {
  let at = token.startOffset;
  while (source.text[at - 1] === " " || source.text[at - 1] === "\t") at -= 1;
  return at === 0 || source.text[at - 1] === "\n" || source.text[at - 1] === "\r" ? at : null;
}
