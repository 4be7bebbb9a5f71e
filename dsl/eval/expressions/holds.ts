import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import type { Expression } from "../../syntax/ast.ts";
import { show, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";

/** Whether a condition is true; `null` where it is not known, or neither true nor false, which is told. */
export function holds({ span }: Expression, { value }: Valued, context: Context): boolean | null {
  if (value.kind === "bool") return value.value;
  context.report(typeMismatch(span, { what: "the condition", expected: "true or false", found: show(value) }));
  return null;
}
