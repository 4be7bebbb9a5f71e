/** Which names a formula may speak of, and whether an expression does. */
import type { FormulaName, FormulaNames, Type } from "../../kind.ts";
import type { Expression } from "../../syntax/ast.ts";
import type { Scope } from "../scope.ts";
import { inTable } from "../../in-table.ts";

export type FormulaType = Extract<Type, { kind: "formula" }>;

export const namesOf = (type: FormulaType, scope: Scope): FormulaNames =>
  typeof type.names === "function" ? type.names(scope.self) : (type.names ?? {});

/** Whether an expression speaks of a name that is known only later. */
export function mentions(expression: Expression, names: FormulaNames): boolean {
  const path = pathOf(expression);
  if (path !== null && nameIn(path, names) !== null) return true;
  switch (expression.kind) {
    case "member":
    case "index":
      return mentions(expression.object, names);
    case "call":
      return mentions(expression.callee, names) || expression.arguments.some((a) => mentions(a.value, names));
    case "unary":
      return mentions(expression.operand, names);
    case "binary":
      return mentions(expression.left, names) || mentions(expression.right, names);
    case "if":
      return [expression.condition, expression.then, expression.else].some((e) => mentions(e, names));
    case "list":
      return expression.items.some((e) => mentions(e, names));
    case "string":
      return expression.parts.some((p) => typeof p !== "string" && mentions(p, names));
    default:
      return false;
  }
}

/** `a.b.c` for a chain of names. */
export function pathOf(expression: Expression): string | null {
  if (expression.kind === "reference") return expression.name.text;
  if (expression.kind !== "member") return null;
  const before = pathOf(expression.object);
  return before === null ? null : `${before}.${expression.name.text}`;
}

export function nameIn(path: string, names: FormulaNames): FormulaName | null {
  const own = inTable(names, path);
  if (own !== undefined) return own;
  const dot = path.lastIndexOf(".");
  return dot < 0 ? null : (names[`${path.slice(0, dot)}.*`] ?? null);
}
