/** `expect` in a block: a formula over what the block's kind can watch, and what happens when it does not hold. */
import { misplaced } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { FormulaNames, Type } from "../../kind.ts";
import type { Expect, Expression } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { bool, choice, enumeration, formulaOver } from "../../types/type.ts";
import type { FormulaTree, Value } from "../../types/value.ts";
import { mentions } from "./formula-names.ts";
import { describeInstance, type Instance, type Written } from "../blocks/instance.ts";

export interface Expectation {
  readonly node: Expect;
  readonly condition: FormulaTree;
  readonly otherwise: "warn" | "stop" | "rollback";
  /** The checkpoint that a rollback goes to. */
  readonly to: string | null;
}

/** What may follow `else`. */
export const actions: Type = choice(
  "action",
  {
    warn: { doc: "warn and continue", parameters: {} },
    stop: { doc: "stop the run", parameters: {} },
    rollback: {
      doc: "return to a checkpoint",
      parameters: {
        to: { type: enumeration("checkpoint", ["best", "last"]), doc: "the checkpoint", default: "best" },
      },
      positional: ["to"],
    },
  },
  {
    ...{ fail: "stop", error: "stop", abort: "stop", exit: "stop", raise: "stop", panic: "stop", die: "stop" },
    ...{ warning: "warn", log: "warn", print: "warn", restore: "rollback", revert: "rollback" },
  },
);

/** The expectations of a block that say something that can be watched; mistakes in the others are reported. */
export function expectationsIn(instance: Instance): readonly Expectation[] {
  const { expectations } = instance.context;
  const known = expectations.get(instance);
  if (known !== undefined) return known;
  const found = instance.checks.flatMap(({ node, by }) => {
    const expectation = node.kind === "expect" ? expectationOf(instance, node, by) : null;
    return expectation === null ? [] : [expectation];
  });
  expectations.set(instance, found);
  return found;
}

function expectationOf(instance: Instance, node: Expect, by: Written): Expectation | null {
  const { context, kind } = instance;
  if (kind.watches === undefined) {
    const where = `in ${describeInstance(instance)}: nothing is measured while it runs`;
    context.report(misplaced(node.span, { what: "`expect`", where }));
    return null;
  }
  const scope = { module: by.module, locals: by.locals, self: instance };
  const type = formulaOver(kind.watches, bool);
  const said = conform(context.evaluate(node.condition, scope, type, "`expect`"), type, "`expect`", context.report);
  if (isSettled(said.value) || speaksOfPlan(node.condition, kind.watches)) {
    context.report(knownBefore(node));
    return null;
  }
  const action = actionOf(node, scope, instance);
  if (said.value.kind !== "formula" || said.value.tree === null || action === null) return null;
  return { node, condition: said.value.tree, ...action };
}

/** Whether nothing of the run decides it. */
const isSettled = (value: Value): boolean => value.kind === "formula" && value.tree !== null && !speaks(value.tree);

/** An estimate, and nothing that is measured beside it. */
const speaksOfPlan = (condition: Expression, watched: FormulaNames): boolean =>
  /\bplan\./.test(condition.span.source.text.slice(condition.span.start, condition.span.end)) &&
  !mentions(condition, watched);

function speaks(tree: FormulaTree): boolean {
  if (typeof tree !== "object" || tree === null) return false;
  if ("name" in tree) return true;
  return ("op" in tree ? tree.of : tree).some(speaks);
}

function knownBefore({ span, otherwise }: Expect): Diagnostic {
  const where = "on a value that is known before the run: it watches what the run measures, `assert` tests the rest";
  const word = { ...span, end: span.start + "expect".length };
  const says = otherwise === null || (otherwise.kind === "reference" && otherwise.name.text === "warn");
  return misplaced(word, { what: "`expect`", where }, { fixes: says ? [replacement(word, "assert")] : [] });
}

function actionOf(
  node: Expect,
  scope: Parameters<Instance["context"]["evaluate"]>[1],
  { context }: Instance,
): Pick<Expectation, "otherwise" | "to"> | null {
  if (node.otherwise === null) return { otherwise: "stop", to: null };
  const what = "the action after `else`";
  const said = context.evaluate(node.otherwise, scope, actions, what);
  const { value } = conform(said, actions, what, context.report);
  if (value.kind !== "choice") return null;
  const to = value.arguments.get("to")?.value;
  return { otherwise: value.name as Expectation["otherwise"], to: to?.kind === "member" ? to.name : null };
}
