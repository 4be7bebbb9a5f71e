import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import type { Fix } from "../../diagnostics/diagnostic.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { BoundOperator, Expression } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { union } from "../../types/type.ts";
import { show, unknown, type Value, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import type { Scope } from "../scope.ts";

/** What a bound holds values of a type against: one of them, or behind `in` a list or a range of them. */
export function limitOf(
  { op, value: written }: { readonly op: BoundOperator; readonly value: Expression },
  type: Type,
  what: string,
  scope: Scope,
  context: Context,
): Valued {
  if (op !== "in") return conform(context.evaluate(written, scope, type, what), type, what, context.report);
  const set = context.evaluate(written, scope, { kind: "list", element: type }, what);
  const { value } = set;
  if (value.kind === "range") {
    const ends = [value.from, value.to].map((end) => conform({ ...set, value: end }, type, what, context.report));
    return ends.some((end) => end.value.kind === "unknown") ? { ...set, value: unknown } : set;
  }
  if (value.kind !== "list" && value.kind !== "unknown") {
    const slots = { what: `\`in\` of ${what}`, expected: "a list or a range", found: show(value) };
    context.report(typeMismatch(written.span, slots, { fixes: asSet(written, set, type) }));
    return { ...set, value: unknown };
  }
  const items: Type = { kind: "list", element: union(type, { kind: "none" }) };
  return conform(set, items, what, context.report);
}

/** `1-8` is a range elsewhere; one value is a list of one. */
function asSet(written: Expression, set: Valued, type: Type): Fix[] {
  const fits = (value: Value): boolean => {
    let isFitting = true;
    conform({ ...set, value }, type, "", () => (isFitting = false));
    return isFitting;
  };
  if (written.kind === "binary" && written.op === "-") {
    const range = `${textOf(written.left.span)}..${textOf(written.right.span)}`;
    return [replacement(written.span, range, `write \`${range}\``)];
  }
  if (!fits(set.value)) return [];
  const listed = `[${textOf(written.span)}]`;
  return [replacement(written.span, listed, `write \`${listed}\``)];
}

const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end);
