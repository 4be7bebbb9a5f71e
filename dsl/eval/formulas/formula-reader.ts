/** What the parts of a formula's reader share. */
import { formulaTerm } from "../../diagnostics/catalog/formulas.ts";
import type { FormulaNames, Type } from "../../kind.ts";
import type { Expression } from "../../syntax/ast.ts";
import { isDimensionless } from "../../types/units.ts";
import { type FormulaTree, number, show, type Value, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import type { FormulaType } from "./formula-names.ts";
import { treeOf } from "./formula-tree.ts";
import type { Scope } from "../scope.ts";
import { type Shape, shapeOfValue } from "./shape.ts";

export interface Lowered {
  readonly tree: FormulaTree;
  readonly shape: Shape;
  /** Known now. */
  readonly value: Valued | null;
}

export interface Reader {
  readonly names: FormulaNames;
  readonly type: FormulaType;
  readonly scope: Scope;
  readonly context: Context;
  readonly what: string;
  /** Reads a part of the formula. */
  readonly lower: (expression: Expression, reader: Reader) => Lowered;
}

export const silent: Lowered = { tree: null, shape: { kind: "unknown" }, value: null };

/** What needs no name of the formula is a value of the file. */
export function constant(
  expression: Expression,
  { context, scope, what }: Reader,
  wanted: Type | null = null,
): Lowered {
  const evaluated = context.evaluate(expression, scope, wanted, what);
  // A place stands for its root: `disk / run.id`.
  const place = evaluated.value.kind === "block" ? evaluated.value.block : null;
  const said = place?.kind.path === undefined ? evaluated : context.property(place, place.kind.path, expression.span);
  const { value } = said;
  if (value.kind === "formula") {
    return { tree: value.tree, shape: value.tree === null ? { kind: "unknown" } : { kind: "any" }, value: null };
  }
  const tree = treeOf(value);
  if (tree === undefined) {
    if (!isReported(value)) context.report(formulaTerm(expression.span, { what, term: show(value) }, { valid: [] }));
    return silent;
  }
  return { tree, shape: shapeOfValue(value), value: said };
}

/** Wrong itself or in one of its items: that was said. */
const isReported = (value: Value): boolean =>
  value.kind === "unknown" || (value.kind === "list" && value.items.some((item) => isReported(item.value)));

/** How a message names one side: its value where it is known, else its text and what it counts. */
export function describe(lowered: Lowered, expression: Expression | undefined): string {
  if (lowered.value !== null) return show(lowered.value.value);
  const written =
    expression === undefined
      ? ""
      : `\`${expression.span.source.text.slice(expression.span.start, expression.span.end)}\``;
  const { shape } = lowered;
  if (shape.kind !== "number") return `${written}${shape.kind === "any" ? "" : ` (${shape.kind})`}`;
  const [first] = shape.dimensions;
  return `${written} (counted in ${first === undefined || isDimensionless(first) ? "plain numbers" : show(number(0, first)).replace(/^0 /, "")})`;
}
