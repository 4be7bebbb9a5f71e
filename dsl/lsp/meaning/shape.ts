/** What may stand behind the dot of a name. */
import type { Registry } from "../../kind.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import type { Expression } from "../../syntax/ast.ts";
import { fieldsOf } from "./fields.ts";
import { kindOf } from "./kinds.ts";
import type { Inside, Meaning } from "./meaning.ts";
import { enumWritten, type Shape } from "./place.ts";

/** What a declaration gives. */
export function shapeOf(symbol: Symbol, registry: Registry): Shape {
  if (symbol.kind === "namespace") return { kind: "module", module: symbol.of };
  if (symbol.kind === "param" || symbol.kind === "let") {
    const type = enumWritten(symbol.node.type, symbol.module);
    if (type !== null) return { kind: "typed", type };
  }
  if (symbol.kind === "let") return fieldsShape(symbol.node.value, { symbol, path: [] });
  const of = kindOf(symbol, registry);
  return of === null ? null : { kind: "block", of, symbol };
}

export function fieldsShape(value: Expression, of?: Inside): Shape {
  const fields = fieldsOf(value);
  return fields.length === 0 ? null : { kind: "fields", fields, ...(of === undefined ? {} : { of }) };
}

export const derivedShape = (meaning: Extract<Meaning, { kind: "derived" }>): Shape =>
  meaning.is.fields === undefined ? null : { ...meaning, fields: meaning.is.fields };
