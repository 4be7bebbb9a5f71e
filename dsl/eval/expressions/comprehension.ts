/** `[x * 2 for x in xs if x > 1]`. */
import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import type { Type } from "../../kind.ts";
import type { Expression } from "../../syntax/ast.ts";
import { alternatives } from "../../types/type.ts";
import { show, unknown, type Value, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import { passOver } from "../judgement/pass-over.ts";
import type { Scope } from "../scope.ts";
import { mayHold } from "./bulk.ts";
import { countOf } from "./count-of.ts";
import { holds } from "./holds.ts";
import { itemsOf } from "./items.ts";

export function comprehensionOf(
  { over, variable, condition, element }: Extract<Expression, { kind: "comprehension" }>,
  scope: Scope,
  expected: Type | null,
  what: string,
  context: Context,
): Value {
  const source = context.evaluate(over, scope, null, what).value;
  const items = itemsWithin(source, over, context);
  if (items === null) return source.kind === "unknown" ? source : unknown;
  const type = alternatives(expected).find((t) => t.kind === "list")?.element ?? null;
  const made: Valued[] = [];
  for (const item of items) {
    const inner = withLocal(scope, variable.text, item);
    const asked = condition === null ? null : context.evaluate(condition, inner, null, "the condition");
    if (asked?.value.kind === "unknown") return asked.value;
    const keeps = condition === null || asked === null || holds(condition, asked, context);
    if (keeps === null) return unknown;
    if (keeps) made.push(context.evaluate(element, inner, type, what));
  }
  const any: Valued = {
    value: unknown,
    span: over.span,
    origin: { kind: "written", span: over.span, layer: "file" },
  };
  const inner = withLocal(scope, variable.text, any);
  passOver([element], made.length > 0 ? element : null, { scope: inner, expected: type, what }, context);
  return { kind: "list", items: made };
}

/** What a comprehension runs through; `null` where it is nothing of the kind, or too much of it, which is told. */
function itemsWithin(source: Value, { span }: Expression, context: Context): readonly Valued[] | null {
  const isRange = source.kind === "range";
  // A range is counted before its items are made.
  if (isRange && !mayHold(countOf(source), span, context)) return null;
  const items = itemsOf(source);
  if (items === null) {
    if (source.kind === "unknown") return null;
    const slots = { what: "the source of a comprehension", expected: "a list or a range", found: show(source) };
    context.report(typeMismatch(span, slots));
    return null;
  }
  return isRange || mayHold(items.length, span, context) ? items : null;
}

const withLocal = (scope: Scope, name: string, value: Valued): Scope => ({
  ...scope,
  locals: new Map([...scope.locals, [name, value]]),
});
