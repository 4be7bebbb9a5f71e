import type { Token, TokenType } from "../../lexer/token.ts";
import {
  InterpolationClose,
  InterpolationOpen,
  LeftBrace,
  LeftParen,
  LeftSquare,
  RightBrace,
  RightParen,
  RightSquare,
} from "../../lexer/vocabulary.ts";

/** Asked of every token several times: a comparison is faster than a map. */
export function closerOf(type: TokenType): TokenType | undefined {
  switch (type) {
    case LeftBrace:
      return RightBrace;
    case LeftParen:
      return RightParen;
    case LeftSquare:
      return RightSquare;
    case InterpolationOpen:
      return InterpolationClose;
    default:
      return undefined;
  }
}

export function isCloser(type: TokenType): boolean {
  return type === RightBrace || type === RightParen || type === RightSquare || type === InterpolationClose;
}

/** The index of the bracket that closes the one at `index`. */
export function closingOf(tokens: readonly Token[], index: number): number | undefined {
  let depth = 0;
  for (let at = index; at < tokens.length; at++) {
    const type = tokens[at]?.tokenType;
    if (type === undefined) return undefined;
    if (closerOf(type) !== undefined) depth += 1;
    else if (isCloser(type)) depth -= 1;
    if (depth <= 0) return at;
  }
  return undefined;
}

/** How a closing bracket is written. */
export function imageOf(closer: TokenType): string {
  if (closer === RightParen) return ")";
  return closer === RightSquare ? "]" : "}";
}
