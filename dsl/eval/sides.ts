import type { Binary } from "../syntax/ast.ts";
import type { Valued } from "../types/value.ts";
import type { Context } from "./context.ts";
import { enumOf } from "./items.ts";
import type { Scope } from "./scope.ts";

/** Both sides of an operator; the right one may name members of the enum that the left one is of. */
export function sidesOf({ op, left, right }: Binary, scope: Scope, what: string, context: Context): [Valued, Valued] {
  let first = context.evaluate(left, scope, null, what);
  if (op === "/" && first.value.kind === "block" && first.value.block.kind.path !== undefined) {
    first = context.property(first.value.block, first.value.block.kind.path, left.span);
  }
  const wanted = first.value.kind === "member" ? enumOf(first.value) : null;
  const element = wanted !== null && op === "in" ? ({ kind: "list", element: wanted } as const) : wanted;
  return [first, context.evaluate(right, scope, element, what)];
}
