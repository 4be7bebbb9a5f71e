import type { Span } from "../../../dsl/source/source.ts";

/** A JSON or YAML value with the place of every part. */
export type Located =
  | { readonly kind: "map"; readonly entries: readonly Entry[]; readonly span: Span }
  | { readonly kind: "list"; readonly items: readonly Located[]; readonly span: Span }
  | { readonly kind: "scalar"; readonly value: Scalar; readonly span: Span }
  /** A value that a script puts in when it runs. */
  | { readonly kind: "unknown"; readonly span: Span };

export type Scalar = string | number | boolean | null;

export interface Entry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: Located;
}

/** Values asked for so far that only a run knows. */
let unknownsAsked = 0;

/** What is made of documents; `null` where it asked for a value that only a run knows. */
export function decided<T>(make: () => T): T | null {
  const before = unknownsAsked;
  const made = make();
  return unknownsAsked === before ? made : null;
}

/** What a key of a map holds; the last one counts where it stands twice. */
export function entryOf(node: Located | undefined, key: string): Entry | undefined {
  if (node?.kind !== "map") return undefined;
  const found =
    node.entries.length > few ? indexOf(node.entries).get(key) : node.entries.findLast((entry) => entry.key === key);
  if (found?.value.kind === "unknown") unknownsAsked += 1;
  return found;
}

/** Beyond these a search costs more than an index: rules ask for many keys of each map. */
const few = 64;
const indexes = new WeakMap<readonly Entry[], ReadonlyMap<string, Entry>>();

function indexOf(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const index = indexes.get(entries) ?? new Map(entries.map((entry) => [entry.key, entry]));
  indexes.set(entries, index);
  return index;
}

/** What a path of keys leads to. */
export function at(node: Located | undefined, ...keys: readonly string[]): Located | undefined {
  return keys.reduce<Located | undefined>((inner, key) => entryOf(inner, key)?.value, node);
}

export function itemsOf(node: Located | undefined): readonly Located[] {
  return node?.kind === "list" ? node.items : [];
}

export function scalarOf(node: Located | undefined): Scalar | undefined {
  if (node?.kind === "unknown") unknownsAsked += 1;
  return node?.kind === "scalar" ? node.value : undefined;
}

/** A number that is written; `null` where none is. */
export function numberAt(node: Located | undefined): number | null {
  const value = scalarOf(node);
  return typeof value === "number" ? value : null;
}

/** Whether some value in it is one that a script puts in when it runs. */
export function holdsUnknown(node: Located): boolean {
  switch (node.kind) {
    case "unknown":
      return true;
    case "scalar":
      return false;
    case "list":
      return node.items.some(holdsUnknown);
    case "map":
      return node.entries.some(({ value }) => holdsUnknown(value));
  }
}
