/** Parts of one role's pods that another role has too. */
import { entryOf, type Located } from "../../foreign/documents/located.ts";
import { nameOf, partsOf } from "./left.ts";

/** The parts of `node` that `like` has as they are. */
export function alike(node: Located, like: Located | undefined): readonly Located[] {
  if (like === undefined) return [];
  if (isSame(node, like)) return [node];
  if (node.kind === "map") return node.entries.flatMap(({ key, value }) => alike(value, entryOf(like, key)?.value));
  if (node.kind !== "list" || like.kind !== "list") return [];
  return node.items.flatMap((item) =>
    alike(item, like.items.find((each) => isSame(item, each)) ?? like.items.find((each) => isNamed(each, item))),
  );
}

function isNamed(a: Located, b: Located): boolean {
  return nameOf(a) !== undefined && nameOf(a) === nameOf(b);
}

function isSame(a: Located, b: Located): boolean {
  switch (a.kind) {
    case "scalar":
      return b.kind === "scalar" && a.value === b.value;
    case "unknown":
      return b.kind === "unknown";
    case "list":
      return (
        b.kind === "list" &&
        a.items.length === b.items.length &&
        a.items.every((item, index) => isSame(item, b.items[index] as Located))
      );
    case "map":
      return (
        b.kind === "map" &&
        a.entries.length === b.entries.length &&
        a.entries.every(({ key, value }) => {
          const other = entryOf(b, key)?.value;
          return other !== undefined && isSame(value, other);
        })
      );
  }
}

/** Parts that `node` says and `other` does not speak of. */
export function alone(
  node: Located,
  other: Located | undefined,
  path = "",
): readonly { readonly path: string; readonly node: Located }[] {
  if (node.kind === "list" && other?.kind === "list")
    return partsOf(node, path).flatMap((part) => {
      const same = other.items.find((each) => isSame(part.node, each) || isNamed(part.node, each));
      return same === undefined ? [part] : alone(part.node, same, part.path);
    });
  if (node.kind !== "map" || other?.kind !== "map") return [];
  return node.entries.flatMap(({ key, value }) => {
    const below = path === "" ? key : `${path}.${key}`;
    const same = entryOf(other, key)?.value;
    return same === undefined ? [{ path: below, node: value }] : alone(value, same, below);
  });
}
