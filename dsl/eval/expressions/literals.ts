/** Values that are written down: numbers with units, texts, records, ranges. */
import { notFinite, operands, unitUnknown } from "../../diagnostics/catalog/values.ts";
import { secretMisused } from "../../diagnostics/catalog/settings.ts";
import { setTwice } from "../../diagnostics/catalog/properties.ts";
import type { Fix } from "../../diagnostics/diagnostic.ts";
import { bytesOrBillions } from "./bytes-or-billions.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Type } from "../../kind.ts";
import type { BlockKind } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Expression, Name, NumberLiteral, Path, Statement, StringLiteral } from "../../syntax/ast.ts";
import { meantUnit, misspeltUnit } from "../../syntax/numbers/suffix.ts";
import { meanings } from "../../types/type.ts";
import {
  combine,
  type Dimension,
  dimensionless,
  isDimensionless,
  sameDimension,
  scales,
  units,
  unitsOf,
} from "../../types/units.ts";
import {
  counted,
  type Field,
  number,
  type NumberValue,
  type RecordBound,
  show,
  unknown,
  type Value,
  type Valued,
} from "../../types/value.ts";
import type { Context } from "../context.ts";
import type { Scope } from "../scope.ts";
import { limited, longestText } from "./bulk.ts";
import { tooLarge } from "./why-no-number.ts";

/** What most numbers are counted in. */
const usualUnits = [
  "tokens",
  "samples",
  "steps",
  "epochs",
  "params",
  "GB",
  "GiB",
  "s",
  "min",
  "h",
  "d",
  "usd",
  "gpus",
  "%",
];

/** `Gb/s` and `Gbit/s` are bits, an eighth of `GB/s`; `GFLOPs/s` has its seconds already. */
function wholeRate(name: string): string | null {
  const bits = /^([MGT])b(?:its?)?$/.exec(name)?.[1];
  if (bits !== undefined) return `${bits}bps`;
  const flops = `${/^([GTP])FLOPs?$/i.exec(name)?.[1]?.toUpperCase() ?? ""}FLOPS`;
  return units.has(flops) ? flops : null;
}

export function numberOf(literal: NumberLiteral, expected: Type | null, context: Context): Value {
  if (literal.repaired === true) return unknown;
  const scale = literal.scale === null ? 1 : scales[literal.scale];
  if (!Number.isFinite(literal.value * scale)) return endless(literal, tooLarge, context);
  if (losesDigits(literal))
    return endless(literal, "too large to be exact: beyond 2^53 two whole numbers may be one", context);
  if (literal.unit === null) {
    const value = literal.value * scale;
    // 0 and 1 are nothing and all of a whole as well.
    return Number.isInteger(value) && value > 1 ? counted(value) : number(value);
  }
  let dimension: Dimension = dimensionless;
  let factor = 1;
  const { numerator, denominator } = literal.unit;
  for (const [names, power] of [[numerator, 1] as const, [denominator, -1] as const]) {
    for (const name of names) {
      const unit = units.get(name) ?? ofAnother(name, literal.unit, expected);
      if (unit === undefined) {
        const wanted = unitsWanted(expected);
        if (name === "B" && numerator.length + denominator.length === 1) {
          const isKnown = expected !== null;
          context.report(bytesOrBillions(literal, literal.unit.span, wanted, isKnown));
          return unknown;
        }
        const meant =
          meantUnit(name) ?? nearest(name, wanted) ?? misspeltUnit(name) ?? nearest(name, [...units.keys()]);
        const rate = denominator.length === 1 && denominator[0] === "s" ? wholeRate(name) : null;
        if (rate !== null) {
          const details = { fixes: [replacement(literal.unit.span, rate)], valid: wanted };
          context.report(unitUnknown(literal.unit.span, { unit: `${name}/s` }, details));
          return unknown;
        }
        const [first = "", ...others] = [...numerator, ...denominator].map((n) => (n === name ? meant : n));
        const fixes =
          meant === null
            ? []
            : meant === "%"
              ? shareOf(literal, literal.unit.span)
              : [replacement(literal.unit.span, [first, ...others].join("/"))];
        context.report(unitUnknown(literal.unit.span, { unit: name }, { fixes, valid: wanted }));
        return unknown;
      }
      dimension = combine(dimension, unit.dimension, power);
      factor *= unit.factor ** power;
    }
  }
  const percent = numerator.length === 1 && numerator[0] === "%" && denominator.length === 0;
  // 0.05 * 0.01 is not 0.0005 in binary; the shortest decimal is what was meant.
  const value = Number((literal.value * scale * factor).toPrecision(15));
  if (!Number.isFinite(value)) return endless(literal, tooLarge, context);
  return number(value, dimension, percent);
}

/** `length = 3 hours`: of a unit that counts something else it matters more that it does than what it is called. */
function ofAnother(name: string, written: NonNullable<NumberLiteral["unit"]>, expected: Type | null) {
  const wanted = dimensionsOf(expected);
  const meant = units.get(meantUnit(name) ?? "");
  const isAlone = written.numerator.length === 1 && written.denominator.length === 0;
  if (meant === undefined || !isAlone || wanted.length === 0) return undefined;
  return wanted.some((each) => sameDimension(each, meant.dimension)) ? undefined : meant;
}

const dimensionsOf = (expected: Type | null): readonly Dimension[] =>
  meanings(expected).flatMap((t) => (t.kind === "number" ? t.dimensions : []));

/** `60 percent` is `60%`, whose sign stands at its number; a rate has no share. */
function shareOf({ span, unit }: NumberLiteral, { start }: Span): readonly Fix[] {
  if (unit === null || unit.numerator.length + unit.denominator.length > 1) return [];
  return [replacement(span, `${span.source.text.slice(span.start, start).trimEnd()}%`)];
}

/** The units that may stand here, or those that numbers mostly have. */
function unitsWanted(expected: Type | null): readonly string[] {
  const wanted = dimensionsOf(expected).flatMap((d) => (isDimensionless(d) ? ["%"] : unitsOf(d)));
  return wanted.some((unit) => unit !== "%") ? [...new Set(wanted)] : usualUnits;
}

/** Whole numbers beyond 2^53 are told apart no longer: the value would be another than was written. */
function losesDigits({ value, span }: NumberLiteral): boolean {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  const digits = /^[\d_]+/.exec(span.source.text.slice(span.start, span.end))?.[0].replaceAll("_", "") ?? "";
  // What is printed of a number can be written again: `2^60` is shown as 1152921504606847000.
  if (digits.length <= 15 || !Number.isFinite(value) || digits === String(value)) return false;
  return BigInt(digits) !== BigInt(value);
}

function endless({ span }: NumberLiteral, why: string, context: Context): Value {
  context.report(notFinite(span, { what: span.source.text.slice(span.start, span.end), why }));
  return unknown;
}

export function stringOf(literal: StringLiteral, scope: Scope, context: Context): Value {
  if (literal.repaired === true) return unknown;
  let text = "";
  let failed: Value | null = null;
  for (const part of literal.parts) {
    if (typeof part === "string") text += part;
    else {
      const { value } = context.evaluate(part, scope, null, "the interpolated value");
      // Whatever is wrong in the other parts is told too.
      if (value.kind === "unknown") {
        failed ??= value;
        continue;
      }
      if (failed !== null) continue;
      if (value.kind === "formula") return { kind: "formula", expression: literal, scope, tree: null };
      if (value.kind === "secret") {
        context.report(secretMisused(part.span, { name: value.name }));
        return unknown;
      }
      text += value.kind === "string" ? value.value : show(value, longestText);
      if (text.length > longestText) break;
    }
  }
  return failed ?? limited(text, literal.span, context);
}

/** A record; where it stands for a group of settings, its fields are what that group's properties are. */
export function recordOf(
  members: readonly Statement[],
  scope: Scope,
  context: Context,
  group: BlockKind | null = null,
): Value {
  const typeOf = (name: string) => group?.properties[name]?.type ?? null;
  const fields = new Map<string, Field>();
  const bounds: RecordBound[] = [];
  for (const member of members) {
    if (member.kind === "assign") {
      const name = member.target.map((n) => n.text).join(".");
      const earlier = fields.get(name);
      if (earlier !== undefined) {
        const related = [{ message: "the first value", span: earlier.span }];
        context.report(setTwice(member.target[0].span, { name, where: "this record" }, { related }));
        continue;
      }
      const said = context.evaluate(member.value, scope, typeOf(name), `\`${name}\``);
      fields.set(name, { ...said, key: keyOf(member.target) });
    } else if (member.kind === "bound") {
      const name = member.target.map((n) => n.text).join(".");
      const element = typeOf(name);
      const type = member.op === "in" && element !== null ? { kind: "list" as const, element } : element;
      const value = context.evaluate(member.value, scope, type, `\`${name}\``);
      bounds.push({ target: member.target, op: member.op, value });
    } else if (member.kind === "block" && member.name === null) {
      const inner = group?.blocks?.[member.head[0].text] ?? null;
      const value = recordOf(member.body ?? [], scope, context, inner);
      fields.set(member.head.map((n) => n.text).join("."), {
        value,
        key: keyOf(member.head),
        span: member.span,
        origin: { kind: "written", span: member.span, layer: "file" },
      });
    }
  }
  return { kind: "record", fields, bounds };
}

/** A path as the one name that a field is known by. */
const keyOf = (path: Path): Name => ({
  ...path[0],
  text: path.map(({ text }) => text).join("."),
  span: { ...path[0].span, end: path.at(-1)?.span.end ?? path[0].span.end },
});

/** `1..64 samples`: a unit written once, at the end, counts for both. */
export function rangeOf(
  expression: Extract<Expression, { kind: "range" }>,
  recurse: (e: Expression) => Valued,
  context: Context,
): Value {
  const from = recurse(expression.from).value;
  // `train..plan` is one slip, not two names that nobody knows.
  const isNames = [expression.from, expression.to].every(({ kind }) => kind === "reference" || kind === "member");
  if (from.kind === "unknown" && !from.later && isNames) return from;
  const to = recurse(expression.to).value;
  if (from.kind === "unknown") return from;
  if (to.kind === "unknown") return to;
  if (from.kind !== "number" || to.kind !== "number") {
    context.report(operands(expression.span, { op: "..", left: show(from), right: show(to) }));
    return unknown;
  }
  const unitFactor = (e: Expression): number => {
    if (e.kind !== "number" || e.unit === null) return 1;
    const above = e.unit.numerator.reduce((f, n) => f * (units.get(n)?.factor ?? 1), 1);
    return e.unit.denominator.reduce((f, n) => f / (units.get(n)?.factor ?? 1), above);
  };
  const bare = isDimensionless(from.dimension) && !from.percent;
  const start: NumberValue = bare ? number(from.value * unitFactor(expression.to), to.dimension, to.percent) : from;
  if (JSON.stringify(start.dimension) !== JSON.stringify(to.dimension)) {
    context.report(operands(expression.span, { op: "..", left: show(from), right: show(to) }));
    return unknown;
  }
  return { kind: "range", from: start, to };
}
