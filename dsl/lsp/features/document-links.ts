/** Imports, and local files that are there. */
import { type DocumentLink, DocumentLinkRequest } from "vscode-languageserver";
import { alternatives } from "../../types/type.ts";
import type { StringLiteral } from "../../syntax/ast.ts";
import { feature, type View, viewOf } from "../feature.ts";
import { everyNode } from "../nodes.ts";
import { rangeOf } from "../positions.ts";
import type { Workspace } from "../workspace.ts";

export const documentLinks = feature(
  DocumentLinkRequest.type,
  { documentLinkProvider: {} },
  (workspace, { textDocument }): DocumentLink[] | null => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const links: DocumentLink[] = [];
    for (const node of everyNode(view.module.file)) {
      if (node.kind === "import") links.push(...importLink(node.from, view, workspace));
    }
    const paths = view.occurrences.filter(
      ({ meaning }) =>
        (meaning.kind === "property" || meaning.kind === "parameter") &&
        alternatives(meaning.property.type).some((type) => type.kind === "path"),
    );
    if (paths.length === 0) return links;
    for (const node of everyNode(view.module.file)) {
      if (node.kind === "string") links.push(...fileLink(node, view, workspace));
    }
    return links;
  },
);

function importLink(from: StringLiteral, view: View, workspace: Workspace): DocumentLink[] {
  const path = importTarget(from, view, workspace);
  return path === null ? [] : [{ range: rangeOf(inside(from)), target: workspace.uriOf(path) }];
}

/** The file that an import names, where there is one. */
export function importTarget(from: StringLiteral, view: View, workspace: Workspace): string | null {
  const text = plain(from);
  if (text === null) return null;
  const path = resolvePath(view.path, text);
  const isThere = path.startsWith("std/")
    ? workspace.registry.std.names.includes(path)
    : workspace.text(path) !== undefined;
  return isThere ? path : null;
}

function fileLink(literal: StringLiteral, view: View, workspace: Workspace): DocumentLink[] {
  const text = plain(literal);
  if (text === null || !/[/.]/.test(text) || /[*?]|:\/\//.test(text) || text.startsWith("std/")) return [];
  const path = resolvePath(view.path, text);
  return workspace.files.stamp(path) === undefined || path.endsWith(".cdr")
    ? []
    : [{ range: rangeOf(inside(literal)), target: workspace.uriOf(path) }];
}

const plain = ({ parts }: StringLiteral): string | null =>
  parts.length === 1 && typeof parts[0] === "string" ? parts[0] : null;

/** Without its quotes. */
const inside = ({ span }: StringLiteral) => ({ ...span, start: span.start + 1, end: span.end - 1 });

/** A path as the file at `from` writes it. */
export function resolvePath(from: string, to: string): string {
  if (to.startsWith("std/") || to.startsWith("/")) return to;
  const parts = from.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
