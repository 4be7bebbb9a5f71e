/** Operators on values; what cannot be combined is reported once. */
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { notFinite } from "../../diagnostics/catalog/values.ts";
import { secretMisused } from "../../diagnostics/catalog/settings.ts";
import type { Span } from "../../source/source.ts";
import type { BinaryOperator } from "../../syntax/ast.ts";
import { combine, isDimensionless } from "../../types/units.ts";
import {
  type ChoiceValue,
  counted,
  isComparable,
  number,
  type NumberValue,
  show,
  unknown,
  type Value,
} from "../../types/value.ts";
import { limited, longestText, mayHold, mayLook } from "./bulk.ts";
import { cannotCombine, type Sides } from "./cannot-combine.ts";
import type { Context } from "../context.ts";
import { whyNoNumber } from "./why-no-number.ts";
import { hasWord } from "../../types/word.ts";

/** `sides`: where the two were written. */
export function applyBinary(
  op: BinaryOperator,
  left: Value,
  right: Value,
  span: Span,
  context: Context,
  sides: Sides | null = null,
): Value {
  if (left.kind === "unknown") return left;
  if (right.kind === "unknown") return right;
  const secret = [left, right].find((value) => value.kind === "secret");
  if (secret?.kind === "secret") {
    context.report(secretMisused(span, { name: secret.name }));
    return unknown;
  }
  const isJoin = op === "+" && left.kind === "list" && right.kind === "list";
  if (isJoin && !mayHold(left.items.length + right.items.length, span, context)) return unknown;
  const compared: Compared = { pairs: new Map(), looked: 0 };
  const result = op === "of" && isCount(left, sides) ? null : compute(op, left, right, compared);
  if (!mayLook(compared.looked, span, context)) return unknown;
  if (op === "/" && left.kind === "number" && right.kind === "number" && right.value === 0) {
    context.report(divisionByZero(span, show(left)));
    return unknown;
  }
  if (result?.kind === "number" && !Number.isFinite(result.value)) {
    context.report(
      notFinite(span, { what: `\`${op}\` of ${show(left)} and ${show(right)}`, why: whyNoNumber(result.value) }),
    );
    return unknown;
  }
  if (result?.kind === "string") return limited(result.value, span, context);
  if (result !== null) return result;
  context.report(cannotCombine(op, left, right, span, { sides, valid: fieldsThatFit(op, left, right) }));
  return unknown;
}

export function divisionByZero(span: Span, dividend: string): Diagnostic {
  const fix = "Do not divide by 0, or test first: `if n == 0 then … else …`.";
  return notFinite(span, { what: `${dividend} / 0`, why: "a division by 0" }, { fix });
}

/** `10 of x`: as a share it would be ten times the whole. */
const isCount = (left: Value, sides: Sides | null): boolean =>
  left.kind === "number" && left.value > 1 && sides?.left.kind === "number" && sides.left.unit === null;

/** Where a record stands for one of its figures: those that could be combined. */
function fieldsThatFit(op: BinaryOperator, left: Value, right: Value): string[] {
  const fitting = (record: Value, fits: (field: Value) => boolean): string[] =>
    record.kind === "record"
      ? [...record.fields].flatMap(([name, { value }]) => (fits(value) ? [`.${name}`] : []))
      : [];
  return [
    ...fitting(left, (field) => compute(op, field, right) !== null),
    ...fitting(right, (field) => compute(op, left, field) !== null),
  ];
}

type ListValue = Extract<Value, { kind: "list" }>;
/** What lists were found to be, and how many items and characters were looked at for that. */
interface Compared {
  readonly pairs: Map<Value, Map<Value, Value | null>>;
  looked: number;
}

type BoolValue = Extract<Value, { kind: "bool" }>;

const truth = (value: boolean, isSure = true): Value => ({
  kind: "bool",
  value,
  ...(isSure ? {} : { likely: true }),
});

function compute(op: BinaryOperator, left: Value, right: Value, compared?: Compared): Value | null {
  switch (op) {
    case "and":
    case "or":
      if (left.kind !== "bool" || right.kind !== "bool") return null;
      return both(op, left, right);
    case "==":
      return equal(left, right, compared);
    case "!=": {
      const same = equal(left, right, compared);
      return same?.kind === "bool" ? { ...same, value: !same.value } : same;
    }
    case "in":
      return contains(right, left, compared);
    case "of":
      return left.kind === "number" && right.kind === "number" && isDimensionless(left.dimension)
        ? spread(number(left.value * right.value, right.dimension), left, right, (a, b) => a * b)
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
  if (op === "+" && left.kind === "list" && right.kind === "list")
    return { kind: "list", items: [...left.items, ...right.items] };
  if (op === "/" && left.kind === "string" && right.kind === "string")
    return { kind: "string", value: joinPath(left.value, right.value) };
  if (left.kind !== "number" || right.kind !== "number") return null;
  switch (op) {
    case "*":
      return spread(
        number(left.value * right.value, combine(left.dimension, right.dimension, 1)),
        left,
        right,
        (a, b) => a * b,
      );
    case "/":
      return right.value === 0
        ? null
        : spread(
            number(left.value / right.value, combine(left.dimension, right.dimension, -1)),
            left,
            right,
            (a, b) => a / b,
          );
    case "divides":
      return Number.isInteger(left.value) && Number.isInteger(right.value) && left.value !== 0
        ? truth(right.value % left.value === 0)
        : null;
  }
  if (!isComparable(left, right)) return null;
  const isCount = [left, right].every((n) => Number.isInteger(n.value)) && (left.whole ?? right.whole) === true;
  const made = isCount ? counted : number;
  const percent = left.percent && right.percent;
  switch (op) {
    case "+":
      return spread(made(left.value + right.value, left.dimension, percent), left, right, (a, b) => a + b);
    case "-":
      return spread(made(left.value - right.value, left.dimension, percent), left, right, (a, b) => a - b);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return ordered(op, left, right);
  }
}

/** The interval of a result, where one side is an estimate. */
function spread(
  result: NumberValue,
  left: NumberValue,
  right: NumberValue,
  f: (a: number, b: number) => number,
): NumberValue {
  if (left.interval === undefined && right.interval === undefined) return result;
  const ends = endsOf(left).flatMap((a) => endsOf(right).map((b) => f(a, b)));
  return { ...result, interval: [Math.min(...ends), Math.max(...ends)] };
}

const endsOf = (value: NumberValue): readonly [number, number] => value.interval ?? [value.value, value.value];

/** Sure where every value of the intervals compares alike. */
function ordered(op: "<" | "<=" | ">" | ">=", left: NumberValue, right: NumberValue): Value {
  const holds = (a: number, b: number): boolean =>
    op === "<" ? a < b : op === "<=" ? a <= b : op === ">" ? a > b : a >= b;
  const value = holds(left.value, right.value);
  const isSure = endsOf(left).every((a) => endsOf(right).every((b) => holds(a, b) === value));
  return truth(value, isSure);
}

/** One sure side may decide alone. */
function both(op: "and" | "or", left: BoolValue, right: BoolValue): Value {
  const value = op === "and" ? left.value && right.value : left.value || right.value;
  const decides = (side: BoolValue) => side.likely !== true && side.value === (op === "or");
  return truth(value, decides(left) || decides(right) || (left.likely !== true && right.likely !== true));
}

export function joinPath(left: string, right: string): string {
  return `${left.replace(/\/+$/, "")}/${right.replace(/^\/+/, "")}`;
}

/** Equality of values of one type; an enum member equals the text of its name, and one of another enum where they share a word. */
export function equal(left: Value, right: Value, known: Compared = { pairs: new Map(), looked: 0 }): Value | null {
  const text = (value: Value) =>
    value.kind === "member" ? value.name : value.kind === "string" ? value.value : null;
  const [a, b] = [text(left), text(right)];
  if (left.kind === "member" && right.kind === "member" && !left.values.some((name) => hasWord(right, name)))
    return null;
  if (a !== null && b !== null) {
    known.looked += Math.min(a.length, b.length);
    return truth(a === b);
  }
  if (left.kind === "unknown" || right.kind === "unknown") return unknown;
  if (left.kind === "none" || right.kind === "none") return truth(left.kind === right.kind);
  if (left.kind === "number" && right.kind === "number") {
    return isComparable(left, right) ? truth(close(left.value, right.value)) : null;
  }
  if (left.kind === "range" && right.kind === "range") {
    const ends = [equal(left.from, right.from), equal(left.to, right.to)];
    return ends.includes(null) ? null : truth(ends.every((same) => same?.kind === "bool" && same.value));
  }
  if (left.kind === "bool" && right.kind === "bool") return truth(left.value === right.value);
  if (left.kind === "choice" && right.kind === "choice") return truth(equalChoices(left, right, known));
  if (left.kind === "block" && right.kind === "block") return truth(left.block === right.block);
  return left.kind === "list" && right.kind === "list" ? equalLists(left, right, known) : null;
}

/** As `equal`, with what is looked at counted: long lists are compared a limited number of times. */
export function equalCounted(left: Value, right: Value, span: Span, context: Context): Value | null {
  const compared: Compared = { pairs: new Map(), looked: 0 };
  const same = equal(left, right, compared);
  return mayLook(compared.looked, span, context) ? same : unknown;
}

/** A bare word says only which constructor; else argument by argument; those that nothing else compares, by how they are written. */
function equalChoices(left: ChoiceValue, right: ChoiceValue, known: Compared): boolean {
  if (left.name !== right.name || left.declared !== right.declared) return false;
  if (left.any === true || right.any === true) return true;
  if (left.arguments.size !== right.arguments.size) return false;
  return [...left.arguments].every(([name, { value }]) => {
    const other = right.arguments.get(name)?.value;
    if (other === undefined) return false;
    const same = equal(value, other, known);
    return same === null ? show(value, longestText) === show(other, longestText) : same.kind === "bool" && same.value;
  });
}

/** Item by item; lists that share their parts are compared once. */
function equalLists(left: ListValue, right: ListValue, known: Compared): Value | null {
  if (left.items.length !== right.items.length) return truth(false);
  const before = known.pairs.get(left)?.get(right);
  if (before !== undefined) return before;
  known.looked += left.items.length;
  const pairs = left.items.map((item, index) => equal(item.value, right.items[index]?.value ?? unknown, known));
  const isOther = pairs.some((p) => p?.kind === "bool" && !p.value);
  const isOpen = !isOther && pairs.some((p) => p?.kind === "unknown");
  const result = pairs.includes(null) ? null : isOpen ? unknown : truth(!isOther);
  known.pairs.set(left, (known.pairs.get(left) ?? new Map<Value, Value | null>()).set(right, result));
  return result;
}

/** Decimal fractions are not exact in binary: 0.1 + 0.2 is 0.3 for a reader. */
const close = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));

/** `x in [a, b]`, `x in 1..4`. */
export function contains(set: Value, value: Value, known: Compared = { pairs: new Map(), looked: 0 }): Value | null {
  if (set.kind === "range") {
    if (value.kind !== "number" || !isComparable(value, set.to)) return null;
    return both("and", ordered(">=", value, set.from) as BoolValue, ordered("<=", value, set.to) as BoolValue);
  }
  if (set.kind !== "list") return null;
  known.looked += set.items.length;
  const results = set.items.map((item) => equal(value, item.value, known));
  const isIn = results.some((r) => r?.kind === "bool" && r.value);
  const isOpen = !isIn && results.some((r) => r?.kind === "unknown");
  return results.includes(null) ? null : isOpen ? unknown : truth(isIn);
}
