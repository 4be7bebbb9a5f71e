import type { Type } from "../../kind.ts";
import type { Param } from "../../syntax/ast.ts";
import { show, type Value } from "../../types/value.ts";
import { limitOf } from "../blocks/limit-of.ts";
import type { Context } from "../context.ts";
import { applyBinary } from "../expressions/operators.ts";
import type { Scope } from "../scope.ts";

/** The first bound of a `param` that a value does not keep, as written: `in 1..8`. A bound that bounds nothing is reported. */
export function violatedBound(param: Param, value: Value, scope: Scope, type: Type, context: Context): string | null {
  const violated = param.bounds.flatMap((bound): string[] => {
    const limit = limitOf(bound, type, `param \`${param.name.text}\``, scope, context).value;
    // Of `Int | none` the bounds are those of its numbers, unless they list `none`.
    if (value.kind === "none" && limit.kind !== "list") return [];
    const holds = applyBinary(bound.op, value, limit, bound.value.span, context);
    return holds.kind === "bool" && !holds.value
      ? [`${bound.op} ${show(limit)}${isEmpty(limit) ? ", an empty range: write its smaller end first" : ""}`]
      : [];
  });
  return violated[0] ?? null;
}

const isEmpty = (set: Value): boolean => set.kind === "range" && set.from.value > set.to.value;
