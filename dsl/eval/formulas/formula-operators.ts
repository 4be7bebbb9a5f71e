/** Operators, conditions, lists and texts of a formula. */
import { operands } from "../../diagnostics/catalog/values.ts";
import type { Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Expression } from "../../syntax/ast.ts";
import { show } from "../../types/value.ts";
import { mentions } from "./formula-names.ts";
import { constant, describe, type Lowered, type Reader, silent } from "./formula-reader.ts";
import { treeOf } from "./formula-tree.ts";
import { saysFree } from "../judgement/sides.ts";
import { applyBinary, divisionByZero } from "../expressions/operators.ts";
import { type Shape, shapeOfValue, shapesMeet } from "./shape.ts";
import { shapeOfOperator } from "./shape-of-operator.ts";

export function unary(expression: Extract<Expression, { kind: "unary" }>, reader: Reader): Lowered {
  if (!mentions(expression, reader.names)) return constant(expression, reader);
  const inner = reader.lower(expression.operand, reader);
  if (inner.shape.kind === "unknown") return silent;
  const fits = expression.op === "-" ? inner.shape.kind === "number" : inner.shape.kind === "bool";
  if (fits || inner.shape.kind === "any")
    return { tree: { op: expression.op, of: [inner.tree] }, shape: inner.shape, value: null };
  const slots = { op: expression.op, left: null, right: describe(inner, expression.operand) };
  reader.context.report(operands(expression.span, slots));
  return silent;
}

export function binary(expression: Extract<Expression, { kind: "binary" }>, reader: Reader): Lowered {
  const left = reader.lower(expression.left, reader);
  // Nobody knows the words of what is lost.
  if (left.shape.kind === "unknown" && saysFree(expression.right, reader.scope, reader.context)) return silent;
  const wanted = left.shape.kind === "text" && left.shape.values !== null ? enumFor(left.shape) : null;
  const plainRight = !mentions(expression.right, reader.names);
  const right =
    wanted !== null && plainRight
      ? constant(expression.right, reader, expression.op === "in" ? { kind: "list", element: wanted } : wanted)
      : reader.lower(expression.right, reader);
  if (left.shape.kind === "unknown" || right.shape.kind === "unknown") return silent;
  if (left.value !== null && right.value !== null) {
    const value = applyBinary(expression.op, left.value.value, right.value.value, expression.span, reader.context);
    const tree = treeOf(value);
    if (tree === undefined) return silent;
    const origin = { kind: "derived", rule: expression.op, inputs: [] } as const;
    return { tree, shape: shapeOfValue(value), value: { value, span: expression.span, origin } };
  }
  const divisor = right.value?.value;
  if (expression.op === "/" && divisor?.kind === "number" && divisor.value === 0) {
    reader.context.report(divisionByZero(expression.span, textOf(expression.left.span)));
    return silent;
  }
  const shape = shapeOfOperator(expression.op, left.shape, right.shape);
  if (shape !== null) return { tree: { op: expression.op, of: [left.tree, right.tree] }, shape, value: null };
  const slots = {
    op: expression.op,
    left: describe(left, expression.left),
    right: describe(right, expression.right),
  };
  reader.context.report(operands(expression.span, slots));
  return silent;
}

const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end);

const enumFor = (shape: Extract<Shape, { kind: "text" }>): Type => ({
  kind: "enum",
  name: "value",
  values: shape.values ?? [],
});

export function conditional(expression: Extract<Expression, { kind: "if" }>, reader: Reader): Lowered {
  if (!mentions(expression.condition, reader.names)) {
    const { value } = reader.context.evaluate(expression.condition, reader.scope, null, "the condition");
    if (value.kind === "bool") return reader.lower(value.value ? expression.then : expression.else, reader);
    return silent;
  }
  const [condition, then, otherwise] = [expression.condition, expression.then, expression.else].map((e) =>
    reader.lower(e, reader),
  ) as [Lowered, Lowered, Lowered];
  if ([condition, then, otherwise].some((p) => p.shape.kind === "unknown")) return silent;
  if (condition.shape.kind !== "bool" || !shapesMeet(then.shape, otherwise.shape)) {
    const slots = { left: describe(then, expression.then), right: describe(otherwise, expression.else) };
    reader.context.report(operands(expression.span, { op: "if", ...slots }));
    return silent;
  }
  const tree = { op: "if", of: [condition.tree, then.tree, otherwise.tree] };
  return { tree, shape: then.shape, value: null };
}

export function listed(expression: Extract<Expression, { kind: "list" }>, reader: Reader): Lowered {
  if (!mentions(expression, reader.names)) return constant(expression, reader);
  const items = expression.items.map((item) => reader.lower(item, reader));
  if (items.some((item) => item.shape.kind === "unknown")) return silent;
  return {
    tree: items.map((item) => item.tree),
    shape: { kind: "set", of: items[0]?.shape ?? { kind: "any" } },
    value: null,
  };
}

/** `"checkpoint-${run.step}"`. */
export function interpolated(expression: Extract<Expression, { kind: "string" }>, reader: Reader): Lowered {
  if (!mentions(expression, reader.names)) return constant(expression, reader);
  const parts = expression.parts.map((part) => (typeof part === "string" ? null : reader.lower(part, reader)));
  if (parts.some((part) => part?.shape.kind === "unknown")) return silent;
  const of = expression.parts.map((part, index) => {
    if (typeof part === "string") return part;
    const lowered = parts[index];
    return lowered?.value?.value.kind === "number" ? show(lowered.value.value) : (lowered?.tree ?? null);
  });
  return { tree: { op: "text", of }, shape: { kind: "text", values: null }, value: null };
}
