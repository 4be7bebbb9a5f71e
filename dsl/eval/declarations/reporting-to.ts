import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Context } from "../context.ts";
import { evaluate } from "../expressions/evaluate.ts";

/** A context whose mistakes go elsewhere. */
export function reportingTo(context: Context, report: (diagnostic: Diagnostic) => void): Context {
  const apart: Context = {
    ...context,
    report,
    evaluate: (expression, inner, expected, what) => evaluate(expression, inner, expected, what, apart),
  };
  return apart;
}
