import type { BinaryOperator } from "../../syntax/ast.ts";
import { combine, type Dimension, dimensionless, isDimensionless, sameDimension } from "../../types/units.ts";
import { type Shape, shapesMeet } from "./shape.ts";

const truth: Shape = { kind: "bool" };

/** What an operator gives, or `null` where it cannot combine the two. */
export function shapeOfOperator(op: BinaryOperator, a: Shape, b: Shape): Shape | null {
  const [x, y] = [dimensionsOf(a), dimensionsOf(b)];
  const common = x.filter((d) => y.some((e) => sameDimension(d, e)));
  switch (op) {
    case "and":
    case "or":
      return [a, b].every((s) => s.kind === "bool" || s.kind === "any") ? truth : null;
    case "==":
    case "!=":
      return shapesMeet(a, b) ? truth : null;
    case "in":
      return b.kind === "set" && shapesMeet(a, b.of) ? truth : null;
    case "<":
    case "<=":
    case ">":
    case ">=":
      return common.length > 0 ? truth : null;
    case "+":
    case "-":
      return common.length > 0 ? { kind: "number", dimensions: common } : null;
    case "*":
    case "/": {
      if (op === "/" && a.kind === "text" && b.kind === "text") return { kind: "text", values: null };
      const all = x.flatMap((d) => y.map((e) => combine(d, e, op === "*" ? 1 : -1)));
      return all.length > 0 ? { kind: "number", dimensions: all } : null;
    }
    case "of":
      return x.some(isDimensionless) && y.length > 0 ? { kind: "number", dimensions: y } : null;
    case "divides":
      return x.length > 0 && y.length > 0 ? truth : null;
  }
}

const dimensionsOf = (shape: Shape): readonly Dimension[] =>
  shape.kind === "number" ? shape.dimensions : shape.kind === "any" ? [dimensionless] : [];
