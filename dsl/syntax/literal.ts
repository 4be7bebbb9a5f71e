import type { Token } from "../lexer/token.ts";
import type { Span } from "../source/source.ts";
import type { NumberLiteral, StringLiteral } from "./ast.ts";
import type { NumberPayload } from "./numbers.ts";

/** The parts of a string without interpolations. */
export function stringText(token: Token): readonly string[] {
  return typeof token.payload === "string" && token.payload !== "" ? [token.payload] : [];
}

export function stringLiteral(token: Token, span: Span): StringLiteral {
  const literal: StringLiteral = { kind: "string", span, parts: stringText(token) };
  return token.repaired === true ? { ...literal, repaired: true } : literal;
}

export function numberLiteral(token: Token, span: Span): NumberLiteral {
  const { value, scale, unit, fractional } = isNumberPayload(token.payload) ? token.payload : zero;
  const literal: NumberLiteral = { kind: "number", span, value, scale, unit, fractional };
  return token.repaired === true ? { ...literal, repaired: true } : literal;
}

const zero: NumberPayload = { value: 0, scale: null, unit: null, fractional: false };

function isNumberPayload(payload: unknown): payload is NumberPayload {
  return typeof payload === "object" && payload !== null && "value" in payload;
}
