import type { Expression } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { bool } from "../../types/type.ts";
import type { Context } from "../context.ts";
import type { Scope } from "../scope.ts";

/** Whether a `when` holds; `null` for one that is no condition, which is reported. */
export function holds(condition: Expression, scope: Scope, context: Context): boolean | null {
  const what = "`when`";
  const { value } = conform(context.evaluate(condition, scope, null, what), bool, what, context.report);
  return value.kind === "bool" ? value.value : null;
}
