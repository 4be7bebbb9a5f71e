import { type WorkspaceSymbol, WorkspaceSymbolRequest } from "vscode-languageserver";
import { feature, viewOfPath } from "../feature.ts";
import { outlineOf } from "../outline.ts";

export const workspaceSymbols = feature(
  WorkspaceSymbolRequest.type,
  { workspaceSymbolProvider: true },
  (workspace, { query }): WorkspaceSymbol[] =>
    workspace.paths().flatMap((path) => {
      const view = viewOfPath(workspace, path);
      if (view === null) return [];
      return outlineOf(view.module)
        .filter(({ name }) => matches(query, name))
        .map(({ name, kind, detail, selectionRange }) => ({
          name,
          kind,
          containerName: detail ?? "",
          location: { uri: view.uri, range: selectionRange },
        }));
    }),
);

/** The letters of the query in their order, whatever stands between. */
function matches(query: string, name: string): boolean {
  let from = 0;
  const text = name.toLowerCase();
  for (const letter of query.toLowerCase()) {
    const at = text.indexOf(letter, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}
