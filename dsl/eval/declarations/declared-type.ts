/** The type that a declaration gives its value. */
import { unknownName } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Type } from "../../kind.ts";
import type { Expression, TypeExpression } from "../../syntax/ast.ts";
import type { Context } from "../context.ts";
import { evaluate } from "../expressions/evaluate.ts";
import type { Scope } from "../scope.ts";
import { typeOf } from "./type-expression.ts";

/** A type as written; where nothing is called so, a value that is a bare name may well be one of its words. */
export function declaredType(
  written: TypeExpression | null,
  value: Expression | null,
  scope: Scope,
  context: Context,
): { readonly type: Type | null; readonly reading: Context } {
  if (written === null) return { type: null, reading: context };
  let isKnown = true;
  const type = typeOf(written, scope, {
    ...context,
    report: (diagnostic) => {
      isKnown = false;
      context.report(diagnostic);
    },
  });
  if (isKnown) return { type, reading: context };
  const words = (value?.kind === "list" ? value.items : [value]).filter((each) => each?.kind === "reference");
  const isWord = ({ code, span }: Diagnostic): boolean =>
    code === unknownName.code && words.some((word) => word?.span.start === span.start);
  const report = (diagnostic: Diagnostic): void => {
    if (!isWord(diagnostic)) context.report(diagnostic);
  };
  return { type, reading: reportingTo(context, report) };
}

/** A context whose mistakes go elsewhere. */
export function reportingTo(context: Context, report: (diagnostic: Diagnostic) => void): Context {
  const apart: Context = {
    ...context,
    report,
    evaluate: (expression, inner, expected, what) => evaluate(expression, inner, expected, what, apart),
  };
  return apart;
}
