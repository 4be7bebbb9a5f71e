/** Does a number have this type: its unit, its bounds, whether it is whole? */
import type { Fix } from "../diagnostics/diagnostic.ts";
import { replacement } from "../diagnostics/suggest.ts";
import { exponentLost, notFinite, outOfRange, unitMismatch, unitMissing } from "../diagnostics/catalog/values.ts";
import type { Span } from "../source/source.ts";
import { wayBetween } from "./between-units.ts";
import type { Fit } from "./fit.ts";
import { lostExponent } from "./lost-exponent.ts";
import { countedIn, rangeOf } from "./number-words.ts";
import type { NumberType } from "./type.ts";
import { type Dimension, isDimensionless, sameDimension, spokenDimension } from "./units.ts";
import { usualUnits } from "./usual-units.ts";
import { type NumberValue, showNumber, type Valued } from "./value.ts";

export function fitNumber(value: NumberValue, valued: Valued, type: NumberType, what: string): Fit {
  const { span } = valued;
  const known = type.dimensions.filter((d) => !isDimensionless(d));
  const plain = type.dimensions.length > known.length;
  const lacking = (): Fit => ({
    rank: 3,
    problem: () => {
      const expected = known.map(spokenDimension).join(" or ");
      const found = textOf(span);
      return unitMissing(span, { what, expected, found }, { fixes: withUnits(span, known, type.usual) });
    },
  });
  if (!type.dimensions.some((d) => sameDimension(d, value.dimension))) {
    if (isDimensionless(value.dimension) && !value.percent) return lacking();
    const found = () => (value.percent ? "a share (%)" : spokenDimension(value.dimension));
    const fixes = known.length === 0 ? withoutUnit(span, type, what) : withRate(span, value.dimension, known);
    return {
      rank: 2,
      problem: () => {
        const way = wayBetween(value.dimension, type.dimensions);
        const slots = { what, expected: countedIn(type), found: found() };
        return unitMismatch(span, slots, way === null ? { fixes } : { fixes, fix: way });
      },
    };
  }
  if (isDimensionless(value.dimension) && value.percent && (!plain || type.percent === undefined)) {
    return {
      rank: 2,
      problem: () => unitMismatch(span, { what, expected: countedIn(type), found: "a share (%)" }),
    };
  }
  if (
    isDimensionless(value.dimension) &&
    !value.percent &&
    known.length > 0 &&
    type.percent !== undefined &&
    value.value > 1
  )
    return lacking();
  const rounded = Math.round(value.value);
  if (type.integer === true && !value.percent && Math.abs(value.value - rounded) > 1e-9 * Math.abs(rounded)) {
    return {
      rank: 4,
      problem: () => outOfRange(span, { what, found: showNumber(value), allowed: "a whole number" }),
    };
  }
  const lost = isDimensionless(value.dimension)
    ? writtenSpans(valued).map((at) => [at, lostExponent(textOf(at), type)] as const)
    : [];
  for (const [at, meant] of lost) {
    if (meant === null || !isWithin(type, Number(meant))) continue;
    const found = textOf(at);
    return { rank: 4, problem: () => exponentLost(at, { what, found, meant }, { fixes: [replacement(at, meant)] }) };
  }
  if (!isWithin(type, value.value)) {
    // Just above the whole somebody meant something else, and not a hundredth of it.
    const least = type.nearlyAll === true ? 50 : 2;
    const written = textOf(span);
    const fixes =
      type.percent !== undefined && !value.percent && value.value >= least && value.value <= 100
        ? [replacement(span, `${written}%`)]
        : written.startsWith("-") && isWithin(type, -value.value)
          ? [replacement(span, written.slice(1).trimStart())]
          : [];
    // A number as it was written: `-1e-5`, not -0.00001.
    const found = /^-?[\d.]+e[+-]?\d+$/i.test(written) ? written : showNumber(value);
    return { rank: 4, problem: () => outOfRange(span, { what, found, allowed: rangeOf(type, value) }, { fixes }) };
  }
  if (type.integer === true && !value.percent && Math.abs(rounded) > Number.MAX_SAFE_INTEGER) {
    const why = "too large to be exact: beyond 2^53 two whole numbers may be one";
    return { rank: 4, problem: () => notFinite(span, { what: `${what}, ${showNumber(value)},`, why }) };
  }
  if (type.integer === true && !value.percent)
    return { value: { ...value, value: rounded, ...(type.percent === undefined ? { whole: true } : {}) } };
  const { whole, ...rest } = value;
  return { value: whole === true ? rest : value };
}

/** Where a number stands, and where what it is called by says it: `let lr = 6-4`, `param lr = 6-4`. */
function writtenSpans({ span, origin }: Valued): readonly Span[] {
  if (origin.kind === "written") return origin.span.start === span.start ? [span] : [span, origin.span];
  if (origin.kind !== "param" || origin.set !== "default") return [span];
  const { source, end } = origin.span;
  const [before, value] = /^([^=\r\n]*=[ \t]*)(\S+)/.exec(source.text.slice(end, end + 200))?.slice(1) ?? [];
  if (before === undefined || value === undefined) return [span];
  const start = end + before.length;
  return [span, { source, start, end: start + value.length }];
}

function isWithin(type: NumberType, value: number): boolean {
  const { min = -Infinity, above = -Infinity, max = Infinity, below = Infinity } = type;
  return !(value < min || value <= above || value > max || value >= below);
}

/** The number with each unit that it may have; what is no number in the text cannot be given one there. */
function withUnits(span: Span, dimensions: readonly Dimension[], usual: string | undefined): Fix[] {
  const written = textOf(span);
  const [, digits] = /^([\d_.]+(?:[eE][+-]?\d+)?)(?:[KMGT]i|[KMBT])?$/.exec(written) ?? [];
  if (digits === undefined) return [];
  const amount = Number(digits.replaceAll("_", ""));
  return dimensions.flatMap((d) => {
    // `64Gi` of memory is what others call 64 GiB.
    const [, count, prefix] = d.byte === 1 ? (/^(.*\d)([KMGT]i?)$/.exec(written) ?? []) : [];
    const said =
      count === undefined
        ? usualUnits(d, amount, usual).map((unit) => `${written} ${unit}`)
        : [`${count} ${prefix}B`];
    return said.map((text) => replacement(span, text));
  });
}

/** `network = 400 GB`, `price = 2 usd`: what it is counted per is missing. */
function withRate(span: Span, found: Dimension, wanted: readonly Dimension[]): Fix[] {
  const written = textOf(span);
  if (!/^[\d_.]+\w* \w+$/.test(written)) return [];
  return wanted.flatMap((each) => {
    const above = Object.fromEntries(Object.entries(each).filter(([, power]) => power > 0));
    const [, ...per] = spokenDimension(each).split("/");
    return per.length > 0 && sameDimension(above, found) ? [replacement(span, [written, ...per].join("/"))] : [];
  });
}

/**
 * `last(2 steps)`: where only plain numbers stand the number itself is meant, if it may stand there. Parts of a machine are other
 * amounts: `nodes = 2 gpus` is no two nodes.
 */
function withoutUnit(span: Span, type: NumberType, what: string): Fix[] {
  const [, count, unit = ""] = /^(\d[\d_]*)[ \t]+([a-z_]+)$/.exec(textOf(span)) ?? [];
  if (count === undefined || (/^(?:gpu|node|core)s?$/.test(unit) && !what.includes(unit))) return [];
  return isWithin(type, Number(count.replaceAll("_", ""))) ? [replacement(span, count)] : [];
}

const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end);
