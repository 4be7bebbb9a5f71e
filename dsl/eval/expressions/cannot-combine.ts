/** Why two values do not go together, and what somebody meant. */
import { operands } from "../../diagnostics/catalog/values.ts";
import type { Details, Diagnostic } from "../../diagnostics/diagnostic.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type { BinaryOperator, Expression } from "../../syntax/ast.ts";
import { wayBetween } from "../../types/between-units.ts";
import { isDimensionless, spokenDimension, singular, unitsOf } from "../../types/units.ts";
import { type NumberValue, show, showNumber, type Value } from "../../types/value.ts";

/** The expressions on both sides. */
export interface Sides {
  readonly left: Expression;
  readonly right: Expression;
}

export function cannotCombine(
  op: BinaryOperator,
  left: Value,
  right: Value,
  span: Span,
  { sides, valid }: { readonly sides: Sides | null; readonly valid: readonly string[] },
): Diagnostic {
  const slots = { op, left: show(left), right: show(right) };
  if (op === "divides") return operands(span, slots, { valid, fix: "Write two whole numbers, the first not 0." });
  const [a, b] = [numberIn(left), numberIn(right)];
  if (a === null || b === null) {
    const text = op === "+" ? intoText(left, right, sides) : null;
    return operands(span, slots, text === null ? { valid } : { valid, ...text });
  }
  // What `in` compares are the items.
  if (op !== "in" && (left.kind === "list") !== (right.kind === "list")) {
    const isArithmetic = /^[-+*/]$/.test(op);
    const fix = isArithmetic ? { fix: `Write the items one by one: \`[x ${op} 2 for x in xs]\`.` } : {};
    return operands(span, { ...slots, why: "one of them is a list" }, { valid, ...fix });
  }
  if (op === "of" && sides?.left.kind === "number" && sides.left.unit === null)
    return operands(
      span,
      { ...slots, why: "`of` takes a share, not a plain number" },
      { valid, ...withUnit(sides.left.span, "%") },
    );
  const why = `${words(a)} and ${words(b)}`;
  return operands(span, { ...slots, why }, { valid, ...mended(a, b, sides) });
}

/** The number that a value is, or that its items are. */
function numberIn(value: Value, seen: Set<Value> = new Set()): NumberValue | null {
  if (value.kind === "number") return value;
  if (value.kind === "range") return value.to;
  // Lists may share their parts, which are looked into once.
  if (value.kind !== "list" || seen.has(value)) return null;
  seen.add(value);
  for (const item of value.items) {
    const found = numberIn(item.value, seen);
    if (found !== null) return found;
  }
  return null;
}

const words = (value: NumberValue): string => {
  if (value.percent) return "a share";
  if (!isDimensionless(value.dimension)) return spokenDimension(value.dimension);
  return value.whole === true ? "a count" : "a plain number";
};

const isBare = (value: NumberValue): boolean => isDimensionless(value.dimension) && !value.percent;

function mended(left: NumberValue, right: NumberValue, sides: Sides | null): Details {
  const pairs = [
    { own: right, at: sides?.right, other: left },
    { own: left, at: sides?.left, other: right },
  ];
  for (const { own, at, other } of pairs) {
    const literal = at?.kind === "number" && at.unit === null ? at : null;
    if (!isBare(own) || literal === null) continue;
    // `5` beside a share, `200` beside tokens: the unit was left out.
    const unit = other.percent ? "%" : unitsOf(other.dimension)[0];
    if (unit !== undefined) return withUnit(literal.span, unit);
  }
  for (const { own, other } of pairs) {
    if (own.percent && !other.percent) return { fix: ofWhole(showNumber(own)) };
    if (isBare(other) && !isBare(own)) {
      const counted = spokenDimension(own.dimension);
      return {
        fix: `Remove the unit to compare with ${show(other)}, or compare with a value that is counted in ${counted}.`,
      };
    }
  }
  const way = wayBetween(left.dimension, [right.dimension]) ?? wayBetween(right.dimension, [left.dimension]);
  return way === null ? {} : { fix: way };
}

const ofWhole = (share: string): string =>
  `Write the amount itself, or the whole that the share refers to, \`${share} of x\`; one amount as a share of another is \`a / b\`.`;

function withUnit(span: Span, unit: string): Details {
  const amount = span.source.text.slice(span.start, span.end);
  const name = amount === "1" ? singular(unit) : unit;
  const text = `${amount}${name === "%" ? "" : " "}${name}`;
  return { fixes: [replacement(span, text)], fix: `Write the unit: \`${text}\`.` };
}

/** `"step-" + 3`: a value is put into a text, where the text is written out. */
function intoText(left: Value, right: Value, sides: Sides | null): Details | null {
  const [text, other] = left.kind === "string" ? [sides?.left, sides?.right] : [sides?.right, sides?.left];
  if ((left.kind === "string") === (right.kind === "string") || text === undefined || other === undefined)
    return null;
  const fix = 'Put the value into the text: `"step-${n}"`.';
  const written = ({ span: { source, start, end } }: Expression): string => source.text.slice(start, end);
  const value = `\${${written(other)}}`;
  if (text.kind !== "string" || !/^"(?!")/.test(written(text)) || /["\r\n]/.test(value)) return { fix };
  const inside = written(text).slice(1, -1);
  const joined = text === sides?.left ? `"${inside}${value}"` : `"${value}${inside}"`;
  const [start, end] = [Math.min(text.span.start, other.span.start), Math.max(text.span.end, other.span.end)];
  return { fix, fixes: [replacement({ ...text.span, start, end }, joined)] };
}
