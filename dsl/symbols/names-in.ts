import type { Name } from "../syntax/ast.ts";

/** Where a part of a tree speaks of something by its bare name: in expressions, headers and amendments. */
export function* namesIn(node: unknown): Generator<Name> {
  if (node === null || typeof node !== "object") return;
  const { kind } = node as { readonly kind?: string };
  if (kind === "reference") yield (node as { readonly name: Name }).name;
  for (const [key, part] of Object.entries(node)) {
    if (key === "span") continue;
    const paths: readonly unknown[] = key === "after" && Array.isArray(part) ? part : [part];
    if (["extends", "on", "after", "head", "target"].includes(key))
      for (const path of paths) if (Array.isArray(path) && path[0] !== undefined) yield path[0] as Name;
    yield* namesIn(part);
  }
}
