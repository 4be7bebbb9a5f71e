import type { Type } from "../../kind.ts";
import type { Param } from "../../syntax/ast.ts";
import { show, type Value } from "../../types/value.ts";
import type { Context } from "../context.ts";
import { contains } from "../expressions/operators.ts";
import type { Scope } from "../scope.ts";

/** The first bound of a `param` that a value does not keep, as written: `in 1..8`. */
export function violatedBound(param: Param, value: Value, scope: Scope, type: Type, context: Context): string | null {
  for (const bound of param.bounds) {
    const what = `\`${param.name.text}\``;
    const wanted: Type | null = bound.op === "in" ? { kind: "list", element: type } : type;
    const limit = context.evaluate(bound.value, scope, wanted, what).value;
    const holds = bound.op === "in" ? contains(limit, value) : null;
    const within =
      bound.op === "in"
        ? holds?.kind !== "bool" || holds.value
        : value.kind !== "number" || limit.kind !== "number" || compare(value.value, bound.op, limit.value);
    if (!within)
      return `${bound.op} ${show(limit)}${isEmpty(limit) ? ", an empty range: write its smaller end first" : ""}`;
  }
  return null;
}

const isEmpty = (set: Value): boolean => set.kind === "range" && set.from.value > set.to.value;

const compare = (a: number, op: string, b: number): boolean =>
  op === "<=" ? a <= b : op === ">=" ? a >= b : op === "<" ? a < b : a > b;
