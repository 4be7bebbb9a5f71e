/** Who extends whom. */
import {
  SymbolKind,
  type TypeHierarchyItem,
  TypeHierarchyPrepareRequest,
  TypeHierarchySubtypesRequest,
  TypeHierarchySupertypesRequest,
} from "vscode-languageserver";
import type { BlockSymbol, Symbol } from "../../symbols/symbol.ts";
import { feature, viewOf, viewOfPath } from "../feature.ts";
import { symbolOf, textsOf } from "../meaning/kinds.ts";
import { keyOf } from "../meaning/meaning.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import { offsetAt, rangeOf } from "../positions.ts";
import type { Workspace } from "../workspace.ts";

export const prepareTypeHierarchy = feature(
  TypeHierarchyPrepareRequest.type,
  { typeHierarchyProvider: true },
  (workspace, { textDocument, position }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const at = occurrenceAt(view.occurrences, offsetAt(view.module.file.source, position));
    return at?.meaning.kind === "symbol" && at.meaning.symbol.kind === "block"
      ? [itemOf(at.meaning.symbol, workspace)]
      : null;
  },
);

export const supertypes = feature(TypeHierarchySupertypesRequest.type, {}, (workspace, { item }) => {
  const base = baseOf(symbolFor(item, workspace));
  return base === null ? [] : [itemOf(base, workspace)];
});

export const subtypes = feature(TypeHierarchySubtypesRequest.type, {}, (workspace, { item }) => {
  const { path } = item.data as { path: string };
  const key = `${path}#${(item.data as { start: number }).start}`;
  return [...new Set([path, ...workspace.paths()])].flatMap((other) => {
    const module = viewOfPath(workspace, other)?.module;
    return [...(module?.names.values() ?? [])]
      .filter((symbol): symbol is BlockSymbol => symbol.kind === "block" && symbol.module === module)
      .filter((symbol) => {
        const base = baseOf(symbol);
        return base !== null && keyOf(base) === key;
      })
      .map((symbol) => itemOf(symbol, workspace));
  });
});

export function itemOf(symbol: BlockSymbol, workspace: Workspace): TypeHierarchyItem {
  const { node, name, module } = symbol;
  return {
    name: name.text,
    kind: SymbolKind.Class,
    detail: node.head[0].text,
    uri: workspace.uriOf(module.path),
    range: rangeOf(node.span),
    selectionRange: rangeOf(name.span),
    data: { path: module.path, start: name.span.start },
  };
}

/** The declaration that an item was made of, as the text is now. */
export function symbolFor(item: { readonly name: string; readonly data?: unknown }, workspace: Workspace) {
  const { path } = item.data as { path: string };
  if (path.startsWith("std/")) return standardSymbol(path, item.name, workspace);
  return viewOfPath(workspace, path)?.module.names.get(item.name);
}

/** Files of the standard library are known through those that import them. */
function standardSymbol(path: string, name: string, workspace: Workspace): Symbol | undefined {
  for (const user of workspace.paths()) {
    const names = viewOfPath(workspace, user)?.module.names.values() ?? [];
    for (const symbol of names) {
      if (symbol.kind !== "namespace" && symbol.module.path === path) {
        const found = symbol.module.names.get(name);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}

function baseOf(symbol: Symbol | undefined): BlockSymbol | null {
  if (symbol?.kind !== "block" || symbol.node.extends === null) return null;
  const found = symbolOf(textsOf(symbol.node.extends), symbol.module)?.symbol;
  return found?.kind === "block" ? found : null;
}
