/** What differs between two meanings. */
import type { Fact, Facts, Meaning } from "./facts.ts";

export interface Difference {
  readonly path: string;
  /** `null` where only the other one has it. */
  readonly before: Fact | null;
  readonly after: Fact | null;
}

export type Part = "values" | "plan" | "emitted" | "measured";

export type Differences = Readonly<Record<Part, readonly Difference[]>>;

export function compare(a: Meaning, b: Meaning): Differences {
  // A bundle does not hold what the file said: then the consequences alone are compared.
  const values = a.values === null || b.values === null ? [] : differencesOf(a.values, b.values);
  return {
    values,
    plan: differencesOf(a.plan, b.plan),
    emitted: differencesOf(a.emitted, b.emitted),
    measured: a.measured === null || b.measured === null ? [] : differencesOf(a.measured, b.measured),
  };
}

export function isSame(differences: Differences): boolean {
  return Object.values(differences).every((part) => part.length === 0);
}

function differencesOf(a: Facts, b: Facts): readonly Difference[] {
  const paths = [...new Set([...a.keys(), ...b.keys()])];
  return paths.flatMap((path) => {
    const [before, after] = [a.get(path) ?? null, b.get(path) ?? null];
    return before !== null && after !== null && isEqual(before, after) ? [] : [{ path, before, after }];
  });
}

/** Sums of the same terms in another order are the same number. */
function isEqual({ value: a }: Fact, { value: b }: Fact): boolean {
  if (typeof a !== "number" || typeof b !== "number") return a === b;
  return a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
}
