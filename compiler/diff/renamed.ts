/** Blocks that are the same under another name: one difference, and not all that they say twice. */
import type { Difference } from "./compare.ts";
import { isEqual } from "./equal.ts";
import type { Fact, Facts } from "./facts.ts";
import { refers, renamedIn } from "./reference.ts";

export interface Renamed {
  /** What each is called in the other. */
  readonly names: ReadonlyMap<string, string>;
  readonly told: readonly Difference[];
}

export function renamedBetween(a: Facts, b: Facts): Renamed {
  const [ofA, ofB] = [blocksOf(a), blocksOf(b)];
  const gone = [...ofA].filter(([name]) => !b.has(name));
  const come = new Map([...ofB].filter(([name]) => !a.has(name)));
  const names = new Map<string, string>();
  for (const [name, facts] of gone) {
    const kind = facts.get("")?.value;
    const alike = [...come]
      .filter(([, others]) => others.get("")?.value === kind)
      .map(([other, others]) => ({ other, share: shareOf(facts, others, new Map([...names, [name, other]])) }))
      .sort((x, y) => y.share - x.share)[0];
    if (alike === undefined || alike.share <= 0.5) continue;
    names.set(name, alike.other);
    come.delete(alike.other);
  }
  const told = [...names].map(([before, after]) => ({
    path: `${String(a.get(before)?.value)}, renamed`,
    before: { value: before, origin: null },
    after: { value: after, origin: null },
  }));
  return { names, told };
}

/** What each block says, under paths within it; the block itself under none. */
function blocksOf(facts: Facts): ReadonlyMap<string, ReadonlyMap<string, Fact>> {
  const found = new Map<string, Map<string, Fact>>();
  for (const [path, fact] of facts) {
    if (fact.named === true) found.set(path, new Map());
    const name = headOf(path);
    found.get(name)?.set(path.slice(name.length), fact);
  }
  return found;
}

const headOf = (path: string): string => /^[^. ]*/.exec(path)?.[0] ?? "";

/** How much of what either says both say. */
function shareOf(a: ReadonlyMap<string, Fact>, b: ReadonlyMap<string, Fact>, names: ReadonlyMap<string, string>) {
  const same = [...a].filter(([path, fact]) => {
    const other = b.get(path);
    return other !== undefined && isEqual(underName(fact, names), other);
  });
  return same.length / new Set([...a.keys(), ...b.keys()]).size;
}

/** Facts as they would be if the blocks were called so. */
export function underNames(facts: Facts, names: ReadonlyMap<string, string>): Facts {
  if (names.size === 0) return facts;
  return new Map(
    [...facts].map(([path, fact]) => {
      const head = headOf(path);
      const now = renamedIn((names.get(head) ?? head) + path.slice(head.length), names);
      return [now, underName(fact, names)] as const;
    }),
  );
}

const underName = (fact: Fact, names: ReadonlyMap<string, string>): Fact =>
  fact.meaning !== undefined && refers(fact.meaning) ? { ...fact, meaning: renamedIn(fact.meaning, names) } : fact;

/** What follows from them names the blocks as words: where the other has such words, they say no more than the name. */
export function withWords(facts: Facts, names: ReadonlyMap<string, string>, other: Facts): Facts {
  if (names.size === 0) return facts;
  const word = new RegExp(`\\b(?:${[...names.keys()].join("|")})\\b`, "g");
  const said = (text: string): string => text.replaceAll(word, (name) => names.get(name) ?? name);
  return new Map(
    [...facts].map(([path, fact]) => {
      const [now, value] = [said(path), typeof fact.value === "string" ? said(fact.value) : fact.value];
      const to = other.has(path) && !other.has(now) ? path : now;
      const isNamed = value !== fact.value && other.get(to)?.value === value;
      return [to, isNamed ? { ...fact, value } : fact] as const;
    }),
  );
}
