/** A number with a unit, said in the other units of its dimension. */
import type { NumberLiteral } from "../syntax/ast.ts";
import { describeDimension, scales, unitsOf, units } from "../types/units.ts";

export interface Conversion {
  readonly text: string;
  readonly unit: string;
  /** It says the same, not only nearly. */
  readonly isExact: boolean;
}

/** What the literal is in base units; `null` for compound units and shares. */
function amount(literal: NumberLiteral): { value: number; unit: string } | null {
  const [name, ...others] = literal.unit?.numerator ?? [];
  if (name === undefined || others.length > 0 || literal.unit?.denominator.length !== 0 || name === "%") return null;
  const scale = literal.scale === null ? 1 : scales[literal.scale];
  return { value: literal.value * scale * (units.get(name)?.factor ?? 1), unit: name };
}

/** Others that say it in at most six digits or a whole number, the literal's own unit left out. */
export function conversions(literal: NumberLiteral): readonly Conversion[] {
  const own = amount(literal);
  const dimension = units.get(own?.unit ?? "")?.dimension;
  if (own === null || dimension === undefined) return [];
  const factor = (name: string) => units.get(name)?.factor ?? 1;
  const seen = new Set([factor(own.unit)]);
  return unitsOf(dimension).flatMap((name) => {
    if (seen.has(factor(name))) return [];
    seen.add(factor(name));
    const value = own.value / factor(name);
    if (value < 1e-3 || value >= 1e12) return [];
    const written = digits(value);
    const again = Number(written.replaceAll("_", "")) * factor(name);
    return [{ text: `${written} ${name}`, unit: name, isExact: Math.abs(again - own.value) <= 1e-12 * own.value }];
  });
}

/** The whole number behind a scale: `20B tokens` is `20_000_000_000 tokens`. */
export function spelledOut(literal: NumberLiteral): string | null {
  if (literal.scale === null || literal.repaired === true) return null;
  const value = literal.value * scales[literal.scale];
  if (!Number.isSafeInteger(value)) return null;
  const unit = literal.unit?.numerator.join(" ") ?? "";
  return `${digits(value)}${unit === "" ? "" : ` ${unit}`}`;
}

export const dimensionName = (unit: string): string => {
  const found = units.get(unit);
  return found === undefined ? "" : describeDimension(found.dimension);
};

const digits = (value: number): string =>
  Number.isInteger(value)
    ? String(value).replace(/\B(?=(\d{3})+$)/g, value >= 10_000 ? "_" : "")
    : String(Number(value.toPrecision(6)));
