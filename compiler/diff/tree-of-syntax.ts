/** What an expression says as it stands, for what nobody evaluates: a bound, a check, a preset that is not chosen. */
import type { Context } from "../../dsl/eval/context.ts";
import { numberOf } from "../../dsl/eval/expressions/literals.ts";
import type { Module } from "../../dsl/symbols/symbol.ts";
import type { Expression } from "../../dsl/syntax/ast.ts";
import type { FormulaTree } from "../../dsl/types/value.ts";
import { textAt } from "./laid-out.ts";
import { reference } from "./reference.ts";

/** `seen`: the names that lead here, none of which can stand behind itself. */
export function treeOfSyntax(
  expression: Expression,
  module: Module,
  context: Context,
  seen: readonly string[] = [],
): FormulaTree {
  const of = (inner: Expression): FormulaTree => treeOfSyntax(inner, module, context, seen);
  switch (expression.kind) {
    case "number": {
      const value = numberOf(expression, null, { ...context, report: () => undefined });
      if (value.kind !== "number") return { name: textAt(expression.span) };
      const unit = Object.entries(value.dimension).filter(([, power]) => power !== 0);
      if (unit.length === 0) return value.value;
      return {
        op: "*",
        of: [
          value.value,
          {
            name: `unit ${unit
              .map((each) => each.join("^"))
              .sort()
              .join(" ")}`,
          },
        ],
      };
    }
    case "bool":
      return expression.value;
    case "string":
      return { op: "text", of: expression.parts.map((part) => (typeof part === "string" ? part : of(part))) };
    case "reference": {
      const { text } = expression.name;
      const symbol = module.names.get(text);
      if (symbol?.kind === "let" && !seen.includes(text))
        return treeOfSyntax(symbol.node.value, symbol.module, context, [...seen, text]);
      return { name: symbol?.kind === "block" ? reference(symbol.name.text) : text };
    }
    case "member":
      return { op: ".", of: [of(expression.object), expression.name.text] };
    case "call": {
      const given = expression.arguments.map(({ name, value }, index) => [name?.text ?? String(index), of(value)]);
      return { op: "call", of: [of(expression.callee), { name: "", with: Object.fromEntries(given) as never }] };
    }
    case "index":
      return { op: "[]", of: [of(expression.object), of(expression.index)] };
    case "list":
      return expression.items.map(of);
    case "range":
      return { op: "..", of: [of(expression.from), of(expression.to)] };
    case "unary":
      return { op: expression.op, of: [of(expression.operand)] };
    case "binary":
      return { op: expression.op, of: [of(expression.left), of(expression.right)] };
    case "if":
      return { op: "if", of: [of(expression.condition), of(expression.then), of(expression.else)] };
    default:
      return { name: textAt(expression.span) };
  }
}
