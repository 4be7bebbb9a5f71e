import type { Token } from "../lexer/token.ts";
import type { Span } from "../source/source.ts";
import type { NumberLiteral, StringLiteral } from "./ast.ts";

/** The parts of a string without interpolations. */
export function stringText(token: Token): readonly string[] {
  return typeof token.payload === "string" && token.payload !== "" ? [token.payload] : [];
}

export function stringLiteral(token: Token, span: Span): StringLiteral {
  const literal: StringLiteral = { kind: "string", span, parts: stringText(token) };
  return token.repaired === true ? { ...literal, repaired: true } : literal;
}

/** What the number pass made of the token. */
export function numberLiteral(token: Token): NumberLiteral {
  const literal = token.payload as NumberLiteral;
  return token.repaired === true ? { ...literal, repaired: true } : literal;
}
