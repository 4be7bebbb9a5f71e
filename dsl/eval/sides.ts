import type { Binary, Expression } from "../syntax/ast.ts";
import type { Type } from "../kind.ts";
import { alternatives } from "../types/type.ts";
import type { Valued } from "../types/value.ts";
import type { Context } from "./context.ts";
import { enumOf } from "./items.ts";
import type { Scope } from "./scope.ts";

/** What may write out a list: its items are found by the type that the whole is wanted as. */
const listing: ReadonlySet<Expression["kind"]> = new Set(["list", "comprehension", "binary", "if", "match"]);

/** Both sides of an operator; the right one may name members of the enum that the left one is of. */
export function sidesOf(
  { op, left, right }: Binary,
  scope: Scope,
  what: string,
  context: Context,
  expected: Type | null = null,
): [Valued, Valued] {
  const joined = op === "+" ? (alternatives(expected).find(({ kind }) => kind === "list") ?? null) : null;
  const listed = (side: Expression): Type | null => (listing.has(side.kind) ? joined : null);
  let first = context.evaluate(left, scope, listed(left), what);
  if (op === "/" && first.value.kind === "block" && first.value.block.kind.path !== undefined) {
    first = context.property(first.value.block, first.value.block.kind.path, left.span);
  }
  const wanted = first.value.kind === "member" ? enumOf(first.value) : null;
  const element = wanted !== null && op === "in" ? ({ kind: "list", element: wanted } as const) : wanted;
  return [first, context.evaluate(right, scope, element ?? listed(right), what)];
}
