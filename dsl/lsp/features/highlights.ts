import { DocumentHighlightKind, DocumentHighlightRequest } from "vscode-languageserver";
import { feature, viewOf } from "../feature.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import { offsetAt, rangeOf } from "../positions.ts";
import { usesOf } from "../uses.ts";

export const highlights = feature(
  DocumentHighlightRequest.type,
  { documentHighlightProvider: true },
  (workspace, { textDocument, position }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const at = occurrenceAt(view.occurrences, offsetAt(view.module.file.source, position));
    if (at === null) return null;
    return usesOf(at.meaning, view, { ...workspace, paths: () => [] })
      .filter((use) => use.view.path === view.path)
      .map(({ occurrence: { span, role } }) => ({
        range: rangeOf(span),
        kind: role === "reference" ? DocumentHighlightKind.Read : DocumentHighlightKind.Write,
      }));
  },
);
