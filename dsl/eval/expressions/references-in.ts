/** The bare names that a part of a tree speaks of. */
export function* referencesIn(node: unknown): Generator<string> {
  if (node === null || typeof node !== "object") return;
  if ("kind" in node && node.kind === "reference" && "name" in node)
    yield (node as { name: { text: string } }).name.text;
  for (const [key, part] of Object.entries(node)) if (key !== "span") yield* referencesIn(part);
}
