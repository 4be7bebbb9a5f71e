import { ReferencesRequest } from "vscode-languageserver";
import { feature, viewOf } from "../feature.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import { offsetAt, rangeOf } from "../positions.ts";
import { usesOf } from "../uses.ts";

export const references = feature(
  ReferencesRequest.type,
  { referencesProvider: true },
  (workspace, { textDocument, position, context }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const at = occurrenceAt(view.occurrences, offsetAt(view.module.file.source, position));
    if (at === null) return null;
    return usesOf(at.meaning, view, workspace)
      .filter(({ occurrence }) => context.includeDeclaration || occurrence.role !== "declaration")
      .map((use) => ({ uri: use.view.uri, range: rangeOf(use.occurrence.span) }));
  },
);
