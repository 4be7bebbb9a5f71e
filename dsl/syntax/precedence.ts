import { chainedComparison } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.ts";
import { cover, type Span } from "../source/source.ts";
import type { BinaryOperator, Expression } from "./ast.ts";

/** One element of a flat expression, as the parser reads it. */
export type Element =
  | { readonly kind: "operand"; readonly expression: Expression }
  | { readonly kind: "prefix"; readonly op: "-" | "not"; readonly span: Span; readonly repaired: boolean }
  | Infix;

interface Infix {
  readonly kind: "infix";
  readonly op: BinaryOperator | "..";
  readonly span: Span;
  readonly repaired: boolean;
}

/** From loose to tight; `not` stands between `and` and the comparisons, the sign of a number above all. */
const levels: Readonly<Record<BinaryOperator | "..", number>> = {
  or: 1,
  and: 2,
  "==": 4,
  "!=": 4,
  "<": 4,
  "<=": 4,
  ">": 4,
  ">=": 4,
  in: 4,
  divides: 4,
  "..": 5,
  "+": 6,
  "-": 6,
  "*": 7,
  "/": 7,
  of: 7,
};
const notLevel = 3;
const signLevel = 8;
const comparison = 4;
const range = 5;

/** Makes a tree of `(prefix* operand infix)* prefix* operand`. */
export function arrange(elements: readonly Element[], out: (diagnostic: Diagnostic) => void): Expression {
  const first = elements[0];
  if (elements.length === 1 && first?.kind === "operand") return first.expression;
  // Most operations are one.
  const [, operator, last] = elements;
  if (elements.length === 3 && first?.kind === "operand" && operator?.kind === "infix" && last?.kind === "operand")
    return joined(first.expression, operator, last.expression);
  let at = 0;
  const negates = elements.some((element) => element.kind === "prefix" && element.op === "not");

  const unary = (): Expression => {
    const element = elements[at++];
    if (element === undefined) throw new RangeError("a flat expression ends with an operand");
    switch (element.kind) {
      case "operand":
        return element.expression;
      case "prefix": {
        const operand = level(element.op === "not" ? notLevel : signLevel);
        const span = cover(element.span, operand.span);
        return element.repaired ? { kind: "missing", span } : { kind: "unary", span, op: element.op, operand };
      }
      case "infix":
        throw new RangeError("a flat expression begins with an operand");
    }
  };

  /** What binds at least as tightly as `least`. */
  const level = (least: number): Expression => {
    let left = unary();
    let chained: number | null = null;
    for (let next = elements[at]; next?.kind === "infix" && levels[next.op] >= least; next = elements[at]) {
      const { op } = next;
      const tightness = levels[op];
      const chains = (tightness === comparison || tightness === range) && chained === tightness;
      if (chains) out(chainedComparison(next.span, { op }, { fixes: negates ? [] : unchained(left) }));
      chained = tightness;
      at += 1;
      const right = level(tightness + 1);
      left = chains ? { kind: "missing", span: cover(left.span, right.span) } : joined(left, next, right);
    }
    return left;
  };
  return level(1);
}

function joined(left: Expression, { op, repaired }: Infix, right: Expression): Expression {
  const span = cover(left.span, right.span);
  if (repaired) return { kind: "missing", span };
  return op === ".." ? { kind: "range", span, from: left, to: right } : { kind: "binary", span, op, left, right };
}

/** `a < b < c` as `a < b and b < c`. */
function unchained(left: Expression): Fix[] {
  if (left.kind !== "binary") return [];
  const { source, start, end } = left.right.span;
  const edit = {
    span: { source, start: left.span.end, end: left.span.end },
    newText: ` and ${source.text.slice(start, end)}`,
  };
  return [{ title: "join two comparisons with `and`", edits: [edit] }];
}
