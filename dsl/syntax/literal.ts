import type { Token } from "../lexer/token.ts";
import type { Span } from "../source/source.ts";
import type { NumberLiteral } from "./ast.ts";
import type { NumberPayload } from "./numbers.ts";

/** The parts of a string without interpolations. */
export function stringText(token: Token): readonly string[] {
  return typeof token.payload === "string" && token.payload !== "" ? [token.payload] : [];
}

export function numberLiteral(token: Token, span: Span): NumberLiteral {
  const { value, scale, unit, fractional } = isNumberPayload(token.payload) ? token.payload : zero;
  return { kind: "number", span, value, scale, unit, fractional };
}

const zero: NumberPayload = { value: 0, scale: null, unit: null, fractional: false };

function isNumberPayload(payload: unknown): payload is NumberPayload {
  return typeof payload === "object" && payload !== null && "value" in payload;
}
