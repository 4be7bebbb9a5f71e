/** Names that a formula may speak of. */
import { nameIn, pathOf } from "../../eval/formulas/formula-names.ts";
import type { FormulaName, Type } from "../../kind.ts";
import type { Expression } from "../../syntax/ast.ts";
import { meanings } from "../../types/type.ts";

export const isFormula = (type: Type | null): boolean => meanings(type).some((t) => t.kind === "formula");

/** `val.loss` where a formula may speak of it. */
export function formulaName(e: Expression, expected: Type | null): { name: string; is: FormulaName } | null {
  const name = pathOf(e);
  return name === null ? null : formulaNamed(name, expected);
}

/** The same by a name that is written out. */
export function formulaNamed(name: string, expected: Type | null): { name: string; is: FormulaName } | null {
  for (const t of meanings(expected)) {
    if (t.kind !== "formula") continue;
    const names = typeof t.names === "function" ? t.names(null) : (t.names ?? {});
    const is = Object.hasOwn(names, name) || name.includes(".") ? nameIn(name, names) : null;
    if (is !== null) return { name, is };
  }
  return null;
}

/** What a side of a comparison is compared with: a member of an enum is known by it. */
export function besides(other: Expression, expected: Type | null, isList: boolean): Type | null {
  const type = formulaName(other, expected)?.is.type;
  if (type?.kind !== "enum") return expected;
  return isList ? { kind: "list", element: type } : type;
}
