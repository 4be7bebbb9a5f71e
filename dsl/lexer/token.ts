import type { IToken, TokenType } from "chevrotain";

export type { TokenType } from "chevrotain";

/** A token as Chevrotain's parser reads it, without lines and columns. */
export interface Token extends IToken {
  /** What the passes found out about it: the literal that a number is, the text of a string piece. */
  payload?: unknown;
  /** It stands for something else that was written and is reported: what it means stays silent. */
  repaired?: boolean;
}

/** Where a token ends, exclusive. A token that a repair put in has no width. */
export function endOf(token: Token): number {
  return token.startOffset + token.image.length;
}

/** A token that stands at `start` in the text, or (with an empty image) was put there by a repair. */
export function makeToken(type: TokenType, image: string, start: number, payload?: unknown): Token {
  // Always the same fields: what reads tokens is compiled for one shape.
  return { image, startOffset: start, tokenTypeIdx: type.tokenTypeIdx ?? 0, tokenType: type, payload };
}

/** A token whose meaning is a guess, since what was written is reported. */
export function repair(token: Token): Token {
  token.repaired = true;
  return token;
}

/** The same stretch of text under another type. */
export function retype(token: Token, type: TokenType): Token {
  token.tokenType = type;
  token.tokenTypeIdx = type.tokenTypeIdx ?? 0;
  return token;
}
