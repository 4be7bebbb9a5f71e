/** What differs between two meanings. */
import { lost } from "./meaning-of-value.ts";
import { isEqual } from "./equal.ts";
import type { Fact, Facts, Meaning } from "./facts.ts";
import { type Renamed, renamedBetween, underNames, withWords } from "./renamed.ts";

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
  const { names, told: renamed } =
    a.values === null || b.values === null ? nothingRenamed : renamedBetween(a.values, b.values);
  const between = (part: Part, before: (facts: Facts, other: Facts) => Facts): readonly Difference[] => {
    const [facts, other] = [a[part], b[part]];
    return facts === null || other === null ? [] : differencesOf(before(facts, other), other);
  };
  return {
    values: [...renamed, ...between("values", (facts) => underNames(facts, names))],
    plan: between("plan", (facts, other) => withWords(facts, names, other)),
    emitted: between("emitted", (facts, other) => withWords(facts, names, other)),
    measured: between("measured", (facts) => facts),
  };
}

const nothingRenamed: Renamed = { names: new Map(), told: [] };

export function isSame(differences: Differences): boolean {
  return Object.values(differences).every((part) => part.length === 0);
}

function differencesOf(a: Facts, b: Facts): readonly Difference[] {
  const paths = [...new Set([...a.keys(), ...b.keys()])];
  return paths.flatMap((path) => {
    const [before, after] = [a.get(path) ?? null, b.get(path) ?? null];
    // What a mistake leaves unknown is told by the mistake.
    if (before?.meaning === lost || after?.meaning === lost) return [];
    if (before !== null && after !== null && isEqual(before, after)) return [];
    return [{ path: (after ?? before)?.shown ?? path, before: told(before), after: told(after) }];
  });
}

const told = (fact: Fact | null): Fact | null => (fact === null ? null : { value: fact.value, origin: fact.origin });
