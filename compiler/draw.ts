import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** So many of them, drawn at random but always the same, in their order. A page draws them too, and has no hashes of Node. */
export function drawn<T>(items: readonly T[], count: number, nameOf: (item: T) => string): readonly T[] {
  const lot = (item: T): string => bytesToHex(sha256(utf8ToBytes(nameOf(item))));
  const chosen = new Set(
    items
      .map((item) => ({ item, lot: lot(item) }))
      .sort((a, b) => (a.lot < b.lot ? -1 : 1))
      .slice(0, count)
      .map(({ item }) => item),
  );
  return items.filter((item) => chosen.has(item));
}
