import type { IToken } from "chevrotain";
import type { Span } from "../../source/source.ts";

/** Python's or Ruby's word for another condition: a token, or the unit that was read behind a number. */
export function elifAt({ image }: IToken, span: Span): Span | null {
  const word = /(?:^|\s)(elif|elsif|elseif)$/.exec(image)?.[1];
  return word === undefined ? null : { ...span, start: span.end - word.length };
}
