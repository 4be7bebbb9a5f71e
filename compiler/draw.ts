import { createHash } from "node:crypto";

/** So many of them, drawn at random but always the same, in their order. */
export function drawn<T>(items: readonly T[], count: number, nameOf: (item: T) => string): readonly T[] {
  const lot = (item: T): string => createHash("sha256").update(nameOf(item)).digest("hex");
  const chosen = new Set(
    items
      .map((item) => ({ item, lot: lot(item) }))
      .sort((a, b) => (a.lot < b.lot ? -1 : 1))
      .slice(0, count)
      .map(({ item }) => item),
  );
  return items.filter((item) => chosen.has(item));
}
