/** A DeepSpeed configuration as plain JSON. */
import type { Document } from "../../document.ts";
import { documentsOf, type Launch } from "../../foreign/launch.ts";
import { at, type Located } from "../../foreign/located.ts";

export type Section = { readonly [key: string]: Document };

/** That of the launch: a file of its own, or the section of an accelerate file; `null` without one. */
export function deepspeedDocument(launch: Launch): Section | null {
  const own = documentsOf(launch, "deepspeed")[0]?.root;
  const inner = documentsOf(launch, "accelerate").map(({ root }) => at(root, "deepspeed_config"))[0];
  const root = own ?? (inner?.kind === "map" ? undefined : inner);
  const found = root === undefined ? null : plain(root);
  return isSection(found) ? found : null;
}

export function plain(node: Located): Document {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plain);
    case "map":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
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
  const result: Record<string, Document> = {};
  for (const [path, value] of found) {
    const keys = path.split(".");
    let section = result;
    for (const key of keys.slice(0, -1)) section = (section[key] ??= {}) as Record<string, Document>;
    section[keys.at(-1) ?? ""] = value;
  }
  return result;
}
