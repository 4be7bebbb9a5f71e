/** `expect` statements as the trainer reads them: a metric, a comparison, a number. */
import { unsupportedExpectation } from "../../../dsl/diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import type { Expression } from "../../../dsl/syntax/ast.ts";
import type { Expectation } from "../../bundle/programs.ts";
import { numberOf } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

const metrics: Readonly<Record<string, string>> = {
  loss: "loss",
  "val.loss": "val_loss",
  grad_norm: "grad_norm",
  tokens_per_second: "tokens_per_second",
};

export function expectationsOf(block: Instance, report: Report): Expectation[] {
  return block.checks.flatMap(({ node, by }) => {
    if (node.kind !== "expect") return [];
    const fail = (why: string): Expectation[] => {
      report(unsupportedExpectation(node.span, { why }, { valid: Object.keys(metrics) }));
      return [];
    };
    const { condition } = node;
    if (condition.kind !== "binary" || !["<", "<=", ">", ">=", "=="].includes(condition.op))
      return fail("it compares nothing");
    const scope = { module: by.module, locals: by.locals, self: block };
    const subject = metricOf(condition.left);
    const metric = subject === null ? undefined : metrics[subject.name];
    if (subject === null || metric === undefined) return fail(`\`${textIn(condition.left)}\` is no metric`);
    const limit = numberOf(block.context.evaluate(condition.right, scope, null, "the limit").value);
    if (limit === null) return fail("its right side is no number");
    const at =
      subject.at === null ? null : numberOf(block.context.evaluate(subject.at, scope, null, "the step").value);
    const action =
      node.otherwise === null ? "stop" : node.otherwise.kind === "reference" ? node.otherwise.name.text : "";
    if (action !== "warn" && action !== "stop") return fail("what follows `else` is `warn` or `stop`");
    return [
      {
        source: textIn(node),
        metric,
        at_step: at,
        op: condition.op as Expectation["op"],
        value: limit,
        otherwise: action,
      },
    ];
  });
}

/** `loss`, `val.loss`, `loss.at(10_000 steps)`. */
function metricOf(expression: Expression): { readonly name: string; readonly at: Expression | null } | null {
  if (expression.kind === "call" && expression.callee.kind === "member" && expression.callee.name.text === "at") {
    const inner = metricOf(expression.callee.object);
    return inner === null ? null : { name: inner.name, at: expression.arguments[0]?.value ?? null };
  }
  if (expression.kind === "reference") return { name: expression.name.text, at: null };
  if (expression.kind === "member" && expression.object.kind === "reference")
    return { name: `${expression.object.name.text}.${expression.name.text}`, at: null };
  return null;
}

/** What was written, blanks folded. */
export const textIn = (node: {
  readonly span: { readonly source: { readonly text: string }; readonly start: number; readonly end: number };
}): string => node.span.source.text.slice(node.span.start, node.span.end).replace(/\s+/g, " ");
