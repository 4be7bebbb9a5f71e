import { assertFailed, typeMismatch } from "../diagnostics/catalog/values.ts";
import type { Assert } from "../syntax/ast.ts";
import { show } from "../types/value.ts";
import type { Context } from "./context.ts";
import type { Scope } from "./scope.ts";

/** Judges an `assert`. A condition that is known only later is passed over. */
export function judge(node: Assert, scope: Scope, context: Context): void {
  const { condition, otherwise } = node;
  const { value } = context.evaluate(condition, scope, null, "the condition");
  if (value.kind === "unknown" || value.kind === "formula") return;
  if (value.kind !== "bool") {
    context.report(
      typeMismatch(condition.span, { what: "an assertion", expected: "true or false", found: show(value) }),
    );
    return;
  }
  if (value.value) return;
  const text = condition.span.source.text.slice(condition.span.start, condition.span.end);
  const sides =
    condition.kind === "binary"
      ? [condition.left, condition.right].map((side) => context.evaluate(side, scope, null, "").value)
      : [];
  const values = sides.map(show).join(condition.kind === "binary" ? ` ${condition.op} ` : "");
  const severity =
    otherwise?.kind === "reference" && otherwise.name.text === "warn" ? ("warning" as const) : ("error" as const);
  const said = otherwise?.kind === "string" ? context.evaluate(otherwise, scope, null, "").value : null;
  const message = said?.kind === "string" ? `${said.value}: ${text}` : text;
  context.report(
    assertFailed(condition.span, { condition: message, values: values === text ? "" : values }, { severity }),
  );
}
