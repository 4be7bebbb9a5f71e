/** Operators on values; what cannot be combined is reported once. */
import { operands, secretMisused } from "../diagnostics/catalog/values.ts";
import type { Span } from "../source/source.ts";
import type { BinaryOperator } from "../syntax/ast.ts";
import { combine, isDimensionless, sameDimension } from "../types/units.ts";
import { number, show, unknown, type Value } from "../types/value.ts";
import type { Context } from "./context.ts";

export function applyBinary(op: BinaryOperator, left: Value, right: Value, span: Span, context: Context): Value {
  if (left.kind === "unknown") return left;
  if (right.kind === "unknown") return right;
  const secret = [left, right].find((value) => value.kind === "secret");
  if (secret?.kind === "secret") {
    context.report(secretMisused(span, { name: secret.name }));
    return unknown;
  }
  const result = compute(op, left, right);
  if (result !== null) return result;
  context.report(operands(span, { op, left: show(left), right: show(right) }));
  return unknown;
}

const truth = (value: boolean): Value => ({ kind: "bool", value });

function compute(op: BinaryOperator, left: Value, right: Value): Value | null {
  switch (op) {
    case "and":
    case "or":
      if (left.kind !== "bool" || right.kind !== "bool") return null;
      return truth(op === "and" ? left.value && right.value : left.value || right.value);
    case "==":
      return equal(left, right);
    case "!=": {
      const same = equal(left, right);
      return same?.kind === "bool" ? truth(!same.value) : null;
    }
    case "in":
      return contains(right, left);
    case "of":
      return left.kind === "number" && right.kind === "number" && isDimensionless(left.dimension)
        ? number(left.value * right.value, right.dimension)
        : null;
    default:
      return arithmetic(op, left, right);
  }
}

function arithmetic(
  op: Exclude<BinaryOperator, "and" | "or" | "==" | "!=" | "in" | "of">,
  left: Value,
  right: Value,
): Value | null {
  if (op === "+" && left.kind === "string" && right.kind === "string")
    return { kind: "string", value: left.value + right.value };
  if (op === "+" && left.kind === "list" && right.kind === "list") {
    const items = left.items.length + right.items.length;
    return items > longestList ? null : { kind: "list", items: [...left.items, ...right.items] };
  }
  if (op === "/" && left.kind === "string" && right.kind === "string")
    return { kind: "string", value: joinPath(left.value, right.value) };
  if (left.kind !== "number" || right.kind !== "number") return null;
  switch (op) {
    case "*":
      return number(left.value * right.value, combine(left.dimension, right.dimension, 1));
    case "/":
      return right.value === 0
        ? null
        : number(left.value / right.value, combine(left.dimension, right.dimension, -1));
    case "divides":
      return Number.isInteger(left.value) && Number.isInteger(right.value) && left.value !== 0
        ? truth(right.value % left.value === 0)
        : null;
  }
  if (!sameDimension(left.dimension, right.dimension)) return null;
  const percent = left.percent && right.percent;
  switch (op) {
    case "+":
      return number(left.value + right.value, left.dimension, percent);
    case "-":
      return number(left.value - right.value, left.dimension, percent);
    case "<":
      return truth(left.value < right.value);
    case "<=":
      return truth(left.value <= right.value);
    case ">":
      return truth(left.value > right.value);
    case ">=":
      return truth(left.value >= right.value);
  }
}

/** A list that doubles thirty times must not fill the memory. */
const longestList = 100_000;

export function joinPath(left: string, right: string): string {
  return `${left.replace(/\/+$/, "")}/${right.replace(/^\/+/, "")}`;
}

/** Equality of values of one type; an enum member equals the text of its name. */
export function equal(left: Value, right: Value): Value | null {
  const text = (value: Value) =>
    value.kind === "member" ? value.name : value.kind === "string" ? value.value : null;
  const [a, b] = [text(left), text(right)];
  if (a !== null && b !== null) return truth(a === b);
  if (left.kind === "none" || right.kind === "none") return truth(left.kind === right.kind);
  if (left.kind === "number" && right.kind === "number") {
    return sameDimension(left.dimension, right.dimension) ? truth(close(left.value, right.value)) : null;
  }
  if (left.kind === "bool" && right.kind === "bool") return truth(left.value === right.value);
  if (left.kind === "choice" && right.kind === "choice") return truth(show(left) === show(right));
  if (left.kind === "block" && right.kind === "block") return truth(left.block === right.block);
  if (left.kind === "list" && right.kind === "list") {
    if (left.items.length !== right.items.length) return truth(false);
    const pairs = left.items.map((item, index) => equal(item.value, right.items[index]?.value ?? unknown));
    return pairs.some((p) => p === null) ? null : truth(pairs.every((p) => p?.kind === "bool" && p.value));
  }
  return null;
}

/** Decimal fractions are not exact in binary: 0.1 + 0.2 is 0.3 for a reader. */
const close = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));

/** `x in [a, b]`, `x in 1..4`. */
export function contains(set: Value, value: Value): Value | null {
  if (set.kind === "range") {
    if (value.kind !== "number" || !sameDimension(value.dimension, set.to.dimension)) return null;
    return truth(set.from.value <= value.value && value.value <= set.to.value);
  }
  if (set.kind !== "list") return null;
  const results = set.items.map((item) => equal(value, item.value));
  return results.some((r) => r === null) ? null : truth(results.some((r) => r?.kind === "bool" && r.value));
}
