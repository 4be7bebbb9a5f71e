/** `expect` in a block: a formula over what the block's kind can watch, and what happens when it does not hold. */
import { misplaced } from "../diagnostics/catalog/names.ts";
import type { Type } from "../kind.ts";
import type { Expect } from "../syntax/ast.ts";
import { conform } from "../types/conform.ts";
import { bool, choice, enumeration, formulaOver } from "../types/type.ts";
import type { FormulaTree } from "../types/value.ts";
import { describeInstance, type Instance, type Written } from "./instance.ts";

export interface Expectation {
  readonly node: Expect;
  readonly condition: FormulaTree;
  readonly otherwise: "warn" | "stop" | "rollback";
  /** The checkpoint that a rollback goes to. */
  readonly to: string | null;
}

/** What may follow `else`. */
export const actions: Type = choice("action", {
  warn: { doc: "say so and go on", parameters: {} },
  stop: { doc: "stop the run", parameters: {} },
  rollback: {
    doc: "go back to a checkpoint",
    parameters: {
      to: { type: enumeration("checkpoint", ["best", "last"]), doc: "the checkpoint", default: "best" },
    },
    positional: ["to"],
  },
});

/** The expectations of a block that say something that can be watched; mistakes in the others are reported. */
export function expectationsIn(instance: Instance): readonly Expectation[] {
  return instance.checks.flatMap(({ node, by }) => {
    const expectation = node.kind === "expect" ? expectationOf(instance, node, by) : null;
    return expectation === null ? [] : [expectation];
  });
}

function expectationOf(instance: Instance, node: Expect, by: Written): Expectation | null {
  const { context, kind } = instance;
  if (kind.watches === undefined) {
    const where = `in ${describeInstance(instance)}: nothing in it is measured while it runs`;
    context.report(misplaced(node.span, { what: "`expect`", where }));
    return null;
  }
  const scope = { module: by.module, locals: by.locals, self: instance };
  const type = formulaOver(kind.watches, bool);
  const said = conform(context.evaluate(node.condition, scope, type, "`expect`"), type, "`expect`", context.report);
  const action = actionOf(node, scope, instance);
  if (said.value.kind !== "formula" || said.value.tree === null || action === null) return null;
  return { node, condition: said.value.tree, ...action };
}

function actionOf(
  node: Expect,
  scope: Parameters<Instance["context"]["evaluate"]>[1],
  { context }: Instance,
): Pick<Expectation, "otherwise" | "to"> | null {
  if (node.otherwise === null) return { otherwise: "stop", to: null };
  const what = "what follows `else`";
  const said = context.evaluate(node.otherwise, scope, actions, what);
  const { value } = conform(said, actions, what, context.report);
  if (value.kind !== "choice") return null;
  const to = value.arguments.get("to")?.value;
  return { otherwise: value.name as Expectation["otherwise"], to: to?.kind === "member" ? to.name : null };
}
