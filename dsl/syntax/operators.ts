import type { TokenType } from "../lexer/token.ts";
import * as t from "../lexer/vocabulary.ts";
import type { BinaryOperator, BoundOperator } from "./ast.ts";

export const infixOperators: ReadonlyMap<TokenType, BinaryOperator | ".."> = new Map<
  TokenType,
  BinaryOperator | ".."
>([
  [t.Plus, "+"],
  [t.Minus, "-"],
  [t.Star, "*"],
  [t.Slash, "/"],
  [t.EqualEqual, "=="],
  [t.NotEqual, "!="],
  [t.Less, "<"],
  [t.LessEqual, "<="],
  [t.Greater, ">"],
  [t.GreaterEqual, ">="],
  [t.And, "and"],
  [t.Or, "or"],
  [t.In, "in"],
  [t.Divides, "divides"],
  [t.Of, "of"],
  [t.DotDot, ".."],
]);

export const boundOperators: ReadonlyMap<TokenType, BoundOperator> = new Map<TokenType, BoundOperator>([
  [t.LessEqual, "<="],
  [t.GreaterEqual, ">="],
  [t.Less, "<"],
  [t.Greater, ">"],
  [t.In, "in"],
]);

/** Tokens that a value without prefix begins with. */
export const startsExpression: ReadonlySet<TokenType> = new Set([
  ...[t.NumberToken, t.Identifier, t.StringToken, t.StringOpen, t.True, t.False, t.None, t.Auto],
  ...[t.LeftSquare, t.LeftParen, t.LeftBrace, t.If, t.Match, t.Mistake],
]);

/** Asked of every value: a comparison is faster than a set. */
export const startsPrefix = (type: TokenType): boolean => type === t.Minus || type === t.Not;

/** Tokens that go on with a value. */
export const startsSuffix = (type: TokenType): boolean =>
  type === t.Dot || type === t.LeftParen || type === t.LeftSquare || type === t.With;
