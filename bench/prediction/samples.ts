/** Groups of rows, and how much each row counts in what is learned of all of them. */
import type { Case } from "./cases.ts";

export function by(cases: readonly Case[], key: (one: Case) => string): ReadonlyMap<string, readonly Case[]> {
  const groups = new Map<string, Case[]>();
  for (const one of cases) {
    const group = groups.get(key(one));
    if (group === undefined) groups.set(key(one), [one]);
    else group.push(one);
  }
  return groups;
}

export const sourceOf = ({ row }: Case): string => row.id.split("-")[0] ?? "";

export const modelOf = ({ row }: Case): string =>
  `${String(row.model["family"])} ${String(row.model["layers"] ?? "")}`;

/** At most so many of each group, of its sources alike: what all have in common is no matter of the largest sweep. */
const mostOfGroup = 40;

export function sampled(groups: readonly (readonly Case[])[]): readonly Case[] {
  return groups.flatMap((group) => {
    const sources = [...by(group, sourceOf).values()].sort((a, b) => a.length - b.length);
    let left = mostOfGroup;
    return sources.flatMap((rows, i) => {
      const taken = evenly(rows, Math.floor(left / (sources.length - i)));
      left -= taken.length;
      return taken;
    });
  });
}

function evenly(rows: readonly Case[], most: number): readonly Case[] {
  const step = Math.max(1, rows.length / most);
  return Array.from({ length: Math.min(rows.length, most) }, (_, i) => rows[Math.floor(i * step)]).filter(
    (one) => one !== undefined,
  );
}

/** A sweep of a thousand rows says less than a thousand runs: a source counts by the square root of its rows. */
export function weightsOf(cases: readonly Case[]): number[] {
  const sources = cases.map(sourceOf);
  const rows = new Map<string, number>();
  for (const source of sources) rows.set(source, (rows.get(source) ?? 0) + 1);
  const scale = cases.length / [...rows.values()].reduce((sum, n) => sum + Math.sqrt(n), 0);
  return sources.map((source) => scale / Math.sqrt(rows.get(source) ?? 1));
}
