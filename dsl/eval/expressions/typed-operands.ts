/** Operators in a function that is judged on its own: of its parameters only the types are known. */
import { operands } from "../../diagnostics/catalog/values.ts";
import type { Type } from "../../kind.ts";
import type { Binary, Expression } from "../../syntax/ast.ts";
import { alternatives, anyType, bool, quantity, string } from "../../types/type.ts";
import { show, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import { shapeOfOperator } from "../formulas/shape-of-operator.ts";
import { describeShape, type Shape, shapeOfType, shapeOfValue } from "../formulas/shape.ts";

/** The type of the result, or `null` where nobody knows it; what no values of these types would do is told. */
export function judgeOperands(node: Binary, left: Valued, right: Valued, context: Context): Type | null {
  const [a, b] = [shapeOf(left), shapeOf(right)];
  if (a.kind === "any" || b.kind === "any" || a.kind === "unknown" || b.kind === "unknown") return null;
  const isJoin = node.op === "+" && a.kind === b.kind && (a.kind === "text" || a.kind === "set");
  const result = isJoin ? a : shapeOfOperator(node.op, a, b);
  if (result !== null) return typeOf(result);
  const slots = { op: node.op, left: describe(left, a, node.left), right: describe(right, b, node.right) };
  context.report(operands(node.span, slots));
  return null;
}

function shapeOf({ value, of }: Valued): Shape {
  if (value.kind !== "unknown") return value.kind === "range" ? { kind: "any" } : shapeOfValue(value);
  if (of === undefined) return { kind: "unknown" };
  const shapes = alternatives(of).flatMap((type) => (type.kind === "none" ? [] : [shapeOfType(type)]));
  const [first = { kind: "any" }, ...more] = shapes;
  return more.every(({ kind }) => kind === first.kind) && (more.length === 0 || first.kind === "text")
    ? first
    : { kind: "any" };
}

function typeOf(shape: Shape): Type {
  switch (shape.kind) {
    case "number":
      return quantity(shape.dimensions);
    case "bool":
      return bool;
    case "text":
      return string;
    case "set":
      return { kind: "list", element: typeOf(shape.of) };
    default:
      return anyType;
  }
}

function describe({ value }: Valued, shape: Shape, { span }: Expression): string {
  return value.kind === "unknown"
    ? `\`${span.source.text.slice(span.start, span.end)}\` (${describeShape(shape)})`
    : show(value);
}
