import { DocumentSymbolRequest } from "vscode-languageserver";
import { feature, viewOf } from "../feature.ts";
import { outlineOf } from "../outline.ts";

export const documentSymbols = feature(
  DocumentSymbolRequest.type,
  { documentSymbolProvider: { label: "cdr" } },
  (workspace, { textDocument }) => {
    const view = viewOf(workspace, textDocument.uri);
    return view === null ? null : outlineOf(view.module);
  },
);
