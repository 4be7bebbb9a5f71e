/** A number with a unit, said in the other units of its dimension. */
import type { NumberLiteral } from "../syntax/ast.ts";
import {
  combine,
  describeDimension,
  dimensionless,
  isDimensionless,
  scales,
  unitsOf,
  units,
} from "../types/units.ts";

export interface Conversion {
  readonly text: string;
  readonly unit: string;
  /** It says the same, not only nearly. */
  readonly isExact: boolean;
}

/** Others that say it in at most six digits or a whole number, the literal's own unit left out; no share has any. */
export function conversions(literal: NumberLiteral): readonly Conversion[] {
  const [own, ...others] = literal.unit?.numerator ?? [];
  if (own === undefined || others.length > 0 || own === "%") return [];
  const below = literal.unit?.denominator ?? [];
  const value = literal.value * (literal.scale === null ? 1 : scales[literal.scale]);
  const written = (name: string, under: readonly string[]): Unit => ({
    text: [name, ...under].join("/"),
    factor: under.reduce((all, each) => all / factorOf(each), factorOf(name)),
  });
  const first = written(own, below);
  const candidates = [
    ...wholes(own, below),
    ...alike(own).map((name) => written(name, below)),
    ...below.flatMap((each, index) => alike(each).map((name) => written(own, below.with(index, name)))),
  ];
  const seen = new Set([first.factor]);
  return candidates.flatMap(({ text, factor }) => {
    if (seen.has(factor)) return [];
    seen.add(factor);
    const amount = (value * first.factor) / factor;
    if (amount < 1e-3 || amount >= 1e12) return [];
    const said = digits(amount);
    const again = Number(said.replaceAll("_", "")) * factor;
    const isExact = Math.abs(again - value * first.factor) <= 1e-12 * value * first.factor;
    return [{ text: `${said} ${text}`, unit: text, isExact }];
  });
}

interface Unit {
  readonly text: string;
  readonly factor: number;
}

const factorOf = (name: string): number => units.get(name)?.factor ?? 1;

/** Units of the same dimension. */
function alike(name: string): readonly string[] {
  const dimension = units.get(name)?.dimension;
  return dimension === undefined ? [] : unitsOf(dimension);
}

/** Units of one word for all of it: `Gbps` for `GB/s`. */
function wholes(name: string, below: readonly string[]): readonly Unit[] {
  if (below.length === 0) return [];
  const dimension = below.reduce(
    (all, each) => combine(all, units.get(each)?.dimension ?? dimensionless, -1),
    units.get(name)?.dimension ?? dimensionless,
  );
  return isDimensionless(dimension) ? [] : unitsOf(dimension).map((text) => ({ text, factor: factorOf(text) }));
}

/** The number behind a scale or an exponent: `20B tokens` is `20_000_000_000 tokens`, `3e-4` is `0.0003`. */
export function spelledOut(literal: NumberLiteral): string | null {
  if (literal.repaired === true) return null;
  if (literal.scale === null) return plainly(literal);
  const value = literal.value * scales[literal.scale];
  if (!Number.isSafeInteger(value)) return null;
  const { numerator = [], denominator = [] } = literal.unit ?? {};
  const unit = [numerator.join(" "), ...denominator].join("/");
  return `${digits(value)}${unit === "" ? "" : ` ${unit}`}`;
}

function plainly({ value, span: { source, start, end } }: NumberLiteral): string | null {
  const isShort = /^[\d_.]+[eE]/.test(source.text.slice(start, end)) && Math.abs(Math.log10(value)) <= 15;
  if (!isShort) return null;
  return value.toLocaleString("en", { useGrouping: false, maximumFractionDigits: 20, maximumSignificantDigits: 12 });
}

export const dimensionName = (unit: string): string => {
  const found = units.get(unit);
  return found === undefined ? "" : describeDimension(found.dimension);
};

const digits = (value: number): string =>
  Number.isInteger(value)
    ? String(value).replace(/\B(?=(\d{3})+$)/g, value >= 10_000 ? "_" : "")
    : String(Number(value.toPrecision(6)));
