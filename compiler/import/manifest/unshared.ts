/** A document in which each place has a node of its own: what an alias stands for is one node in two places, of which the file may take one. */
import type { Located } from "../../foreign/documents/located.ts";

export function unshared(node: Located): Located {
  if (node.kind === "map")
    return { ...node, entries: node.entries.map((entry) => ({ ...entry, value: unshared(entry.value) })) };
  return node.kind === "list" ? { ...node, items: node.items.map(unshared) } : { ...node };
}
