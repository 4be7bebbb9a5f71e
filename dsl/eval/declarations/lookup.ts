/** What a bare name stands for, whatever is expected. */
import { conditionFalse } from "../../diagnostics/catalog/names.ts";
import type { Name } from "../../syntax/ast.ts";
import { unknown, type Value, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import { holds } from "../judgement/holds.ts";
import { isRemoved } from "../blocks/is-removed.ts";
import { enclosing, type Instance } from "../blocks/instance.ts";
import type { Scope } from "../scope.ts";

/** The value of a name: a local, a declaration, an enclosing block by its kind word; or `null`. */
export function lookup(name: Name, scope: Scope, context: Context): Value | Valued | null {
  const local = scope.locals.get(name.text);
  if (local !== undefined) return local;
  const symbol = scope.module.names.get(name.text);
  if (symbol !== undefined) {
    switch (symbol.kind) {
      case "namespace":
        return null;
      case "block": {
        const block = context.instanceOf(symbol);
        if (block === null) {
          isRemoved(symbol, name.span, context);
          return unknown;
        }
        const condition = block.values.get("when");
        if (condition !== undefined && !isPresent(block)) {
          const related = [{ message: "this condition is false", span: condition.expression.span }];
          context.report(conditionFalse(name.span, { name: name.text }, { related }));
          return unknown;
        }
        return { kind: "block", block };
      }
      default:
        return context.symbolValue(symbol, name.span);
    }
  }
  for (const block of enclosing(scope.self)) {
    if (block.kind.name === name.text) return { kind: "block", block };
  }
  return null;
}

/** Blocks whose `when` is being evaluated: what their own conditions speak of is there. */
const judged = new WeakSet<Instance>();

/** False where `when` is written and does not hold. */
export function isPresent(block: Instance): boolean {
  const entry = block.values.get("when");
  if (entry === undefined || judged.has(block)) return true;
  const scope: Scope = { module: entry.by.module, locals: entry.by.locals, self: block };
  judged.add(block);
  try {
    return holds(entry.expression, scope, block.context) ?? true;
  } finally {
    judged.delete(block);
  }
}
