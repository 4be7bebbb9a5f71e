import type { Span } from "../source/source.ts";
import type { File, Name, Statement } from "../syntax/ast.ts";
import { nodesAt } from "./nodes.ts";
import type { OpenPlace } from "./open-keys.ts";
import { contains } from "./positions.ts";

/** The key at an offset behind the name of a block inside another, whatever that block takes. */
export function openPlaceAt(file: File, offset: number): (OpenPlace & { readonly span: Span }) | null {
  let around: string | null = null;
  let path: string[] | null = null;
  for (const node of nodesAt(file, offset) as readonly Statement[]) {
    if (node.kind !== "block" && node.kind !== "assign") continue;
    const names: readonly Name[] = node.kind === "block" ? node.head : node.target;
    if (path === null || around === null) {
      if (node.kind !== "block") return null;
      if (around !== null && node.name !== null) path = [node.name.text];
      around ??= node.head[0].text;
      continue;
    }
    for (const name of names) {
      path = [...path, name.text];
      if (contains(name.span, offset)) return { around, path, span: name.span };
    }
  }
  return null;
}
