/** A DeepSpeed configuration as plain JSON. */
import type { Document } from "../../document.ts";
import { documentsOf, type Launch } from "../../foreign/launch.ts";
import { at, holdsUnknown, type Located } from "../../foreign/documents/located.ts";

export type Section = { readonly [key: string]: Document };

/** That of the launch: a file of its own, or the section of an accelerate file; `null` without one. */
export function deepspeedDocument(launch: Launch): Section | null {
  const root = rootOf(launch);
  const found = root === undefined ? null : plain(root);
  return isSection(found) ? found : null;
}

/** Dotted paths of its values that a script puts in when it runs. */
export function openPaths(launch: Launch): readonly string[] {
  const pathsIn = (node: Located, path: string): readonly string[] => {
    if (node.kind === "unknown") return [path];
    if (node.kind !== "map") return holdsUnknown(node) ? [path] : [];
    return node.entries.flatMap(({ key, value }) => pathsIn(value, path === "" ? key : `${path}.${key}`));
  };
  const root = rootOf(launch);
  return root === undefined ? [] : pathsIn(root, "");
}

function rootOf(launch: Launch): Located | undefined {
  const own = documentsOf(launch, "deepspeed")[0]?.root;
  const inner = documentsOf(launch, "accelerate").map(({ root }) => at(root, "deepspeed_config"))[0];
  return own ?? (inner?.kind === "map" ? undefined : inner);
}

export function plain(node: Located): Document {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plain);
    case "unknown":
      return null;
    case "map":
      return Object.fromEntries(
        node.entries.flatMap(({ key, value }) => (value.kind === "unknown" ? [] : [[key, plain(value)]])),
      );
  }
}

export function isSection(value: Document | undefined): value is Section {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function atPath(config: Document | undefined, path: string): Document | undefined {
  return path
    .split(".")
    .reduce<Document | undefined>((value, key) => (isSection(value) ? value[key] : undefined), config);
}

/** Leaves by their dotted path. */
export function leaves(config: Section, prefix = ""): ReadonlyMap<string, Document> {
  const found = new Map<string, Document>();
  for (const [key, value] of Object.entries(config)) {
    if (isSection(value))
      for (const [path, leaf] of leaves(value, `${prefix}${key}.`)) found.set(path, leaf);
    else found.set(`${prefix}${key}`, value);
  }
  return found;
}

/** Leaves put together again. */
export function nested(found: ReadonlyMap<string, Document>): Section {
  const inner = new Map<string, Map<string, Document>>();
  const result = new Map<string, Document>();
  for (const [path, value] of found) {
    const dot = path.indexOf(".");
    const head = dot < 0 ? path : path.slice(0, dot);
    if (dot >= 0) inner.set(head, (inner.get(head) ?? new Map<string, Document>()).set(path.slice(dot + 1), value));
    // Its place among the keys is that of the first of its leaves.
    result.set(head, value);
  }
  for (const [head, leaves_] of inner) result.set(head, nested(leaves_));
  return Object.fromEntries(result);
}
