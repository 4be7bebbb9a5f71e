import type { Property } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Module } from "../../symbols/symbol.ts";
import type { Expression } from "../../syntax/ast.ts";
import { parseExpression } from "../../syntax/parse.ts";
import { conform } from "../../types/conform.ts";
import { none, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";

const parsed = new Map<string, Expression>();
const nowhere: Module = {
  path: "",
  file: { kind: "file", source: { path: "", text: "" }, doc: null, statements: [] },
  names: new Map(),
  amendments: [],
};

/** The default that a descriptor states, as if it stood at `at`; `none` where it states none. */
export function defaultOf(property: Property, by: string, at: Span, context: Context): Valued {
  if (property.default === undefined) return { value: none, span: at, origin: { kind: "default", by } };
  let expression = parsed.get(property.default);
  if (expression === undefined) {
    expression = parseExpression({ path: "default", text: property.default }).expression;
    parsed.set(property.default, expression);
  }
  const value = context.evaluate(
    expression,
    { module: nowhere, locals: new Map(), self: null },
    property.type,
    "the default",
  );
  const fitted = value.value.kind === "none" ? value : conform(value, property.type, "the default", context.report);
  return { ...fitted, span: at, origin: { kind: "default", by } };
}
