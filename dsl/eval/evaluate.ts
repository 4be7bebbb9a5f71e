/** Evaluation of expressions. Pure: mistakes are reported once and give `unknown`, which stays silent afterwards. */
import { operands, typeMismatch } from "../diagnostics/catalog/values.ts";
import type { Type } from "../kind.ts";
import type { Expression } from "../syntax/ast.ts";
import { alternatives, anyType } from "../types/type.ts";
import { show, unknown, type Value, type Valued } from "../types/value.ts";
import { evaluateCall } from "./call.ts";
import type { Context } from "./context.ts";
import type { Written } from "./instance.ts";
import { enumOf, itemsOf } from "./items.ts";
import { numberOf, rangeOf, recordOf, stringOf } from "./literals.ts";
import { matchOf } from "./match.ts";
import { evaluateMember } from "./member.ts";
import { applyBinary } from "./operators.ts";
import { evaluateReference } from "./reference.ts";
import type { Scope } from "./scope.ts";

/** The value of an expression; `expected` lets enum members and constructors be found by the type that wants them. */
export function evaluate(
  expression: Expression,
  scope: Scope,
  expected: Type | null,
  what: string,
  context: Context,
): Valued {
  const value = valueOf(expression, scope, expected, what, context);
  return "origin" in value
    ? value
    : { value, span: expression.span, origin: { kind: "written", span: expression.span, layer: "file" } };
}

function valueOf(
  expression: Expression,
  scope: Scope,
  expected: Type | null,
  what: string,
  context: Context,
): Value | Valued {
  const recurse = (e: Expression, type: Type | null = null) => context.evaluate(e, scope, type, what);
  switch (expression.kind) {
    case "number":
      return numberOf(expression, context);
    case "string":
      return stringOf(expression, scope, context);
    case "bool":
      return { kind: "bool", value: expression.value };
    case "none":
    case "auto":
      return { kind: expression.kind };
    case "missing":
      return unknown;
    case "reference":
      return here(evaluateReference(expression.name, scope, expected, context), expression);
    case "member":
      return alternatives(expected).some((t) => t.kind === "formula")
        ? { kind: "formula", expression, scope }
        : here(evaluateMember(expression, scope, context), expression);
    case "call":
      return evaluateCall(expression, scope, expected, what, context);
    case "index": {
      const object = recurse(expression.object).value;
      const index = recurse(expression.index).value;
      if (object.kind === "unknown" || index.kind === "unknown") return unknown;
      const item = object.kind === "list" && index.kind === "number" ? object.items.at(index.value) : undefined;
      if (item !== undefined) return item;
      context.report(operands(expression.span, { op: "[ ]", left: show(object), right: show(index) }));
      return unknown;
    }
    case "list": {
      const element =
        alternatives(expected).find((t) => t.kind === "list")?.element ?? (expected?.kind === "any" ? anyType : null);
      return { kind: "list", items: expression.items.map((item) => recurse(item, element)) };
    }
    case "comprehension": {
      const over = recurse(expression.over).value;
      const items = itemsOf(over);
      if (items === null) {
        if (over.kind !== "unknown")
          context.report(
            typeMismatch(expression.over.span, {
              what: "what a comprehension runs over",
              expected: "a list or a range",
              found: show(over),
            }),
          );
        return unknown;
      }
      const element = alternatives(expected).find((t) => t.kind === "list")?.element ?? null;
      const made: Valued[] = [];
      for (const item of items) {
        const inner: Scope = { ...scope, locals: new Map([...scope.locals, [expression.variable.text, item]]) };
        const keep =
          expression.condition === null
            ? null
            : context.evaluate(expression.condition, inner, null, "the condition").value;
        if (keep === null || (keep.kind === "bool" && keep.value))
          made.push(context.evaluate(expression.element, inner, element, what));
      }
      return { kind: "list", items: made };
    }
    case "record":
      return recordOf(expression.members, scope, context);
    case "range":
      return rangeOf(expression, recurse, context);
    case "unary": {
      const operand = recurse(expression.operand, expected).value;
      if (operand.kind === "unknown") return operand;
      if (expression.op === "-" && operand.kind === "number") return { ...operand, value: -operand.value };
      if (expression.op === "not" && operand.kind === "bool") return { kind: "bool", value: !operand.value };
      context.report(operands(expression.span, { op: expression.op, left: "nothing", right: show(operand) }));
      return unknown;
    }
    case "binary": {
      if (alternatives(expected).some((t) => t.kind === "formula")) return { kind: "formula", expression, scope };
      let left = recurse(expression.left);
      if (expression.op === "/" && left.value.kind === "block" && left.value.block.kind.path !== undefined) {
        left = context.property(left.value.block, left.value.block.kind.path, expression.left.span);
      }
      const wanted = left.value.kind === "member" ? enumOf(left.value) : null;
      const right = recurse(
        expression.right,
        wanted !== null && expression.op === "in" ? { kind: "list", element: wanted } : wanted,
      );
      return applyBinary(expression.op, left.value, right.value, expression.span, context);
    }
    case "if": {
      const condition = recurse(expression.condition).value;
      if (condition.kind === "bool") return recurse(condition.value ? expression.then : expression.else, expected);
      if (condition.kind !== "unknown")
        context.report(
          typeMismatch(expression.condition.span, {
            what: "the condition",
            expected: "true or false",
            found: show(condition),
          }),
        );
      return unknown;
    }
    case "match":
      return matchOf(expression, scope, expected, what, context);
    case "with": {
      const base = recurse(expression.base, expected);
      const by: Written = { module: scope.module, locals: scope.locals, layer: "file" };
      if (base.value.kind === "block") {
        return {
          kind: "block",
          block: context.derive(
            base.value.block,
            expression.body,
            by,
            `${scope.self?.name ?? "x"}_${base.value.block.name ?? ""}`,
          ),
        };
      }
      if (base.value.kind === "record") {
        const added = recordOf(expression.body, scope, context);
        return added.kind === "record"
          ? {
              kind: "record",
              fields: new Map([...base.value.fields, ...added.fields]),
              bounds: [...base.value.bounds, ...added.bounds],
            }
          : added;
      }
      if (base.value.kind !== "unknown")
        context.report(
          typeMismatch(expression.base.span, {
            what: "what `with` changes",
            expected: "a block or a record",
            found: show(base.value),
          }),
        );
      return unknown;
    }
  }
}

/** What a name stands for was written elsewhere; what is wrong with it here is said here. */
const here = (value: Value | Valued, expression: Expression): Value | Valued =>
  "origin" in value ? { ...value, span: expression.span } : value;
