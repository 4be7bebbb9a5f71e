import { DefinitionRequest, type Location } from "vscode-languageserver";
import { feature, viewOf } from "../feature.ts";
import type { Meaning } from "../meaning/meaning.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import { offsetAt, rangeOf } from "../positions.ts";
import type { Workspace } from "../workspace.ts";

export const definition = feature(
  DefinitionRequest.type,
  { definitionProvider: true },
  (workspace, { textDocument, position }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const occurrence = occurrenceAt(view.occurrences, offsetAt(view.module.file.source, position));
    return occurrence === null ? null : declarationOf(occurrence.meaning, workspace);
  },
);

/** Where a word was declared; words of the language are declared nowhere. */
export function declarationOf(meaning: Meaning, workspace: Workspace): Location | null {
  if (meaning.kind === "local" || meaning.kind === "nested")
    return {
      uri: workspace.uriOf(meaning.declaration.source.path),
      range: rangeOf(meaning.declaration),
    };
  if (meaning.kind !== "symbol") return null;
  const { symbol } = meaning;
  if (symbol.kind === "namespace") {
    const start = { line: 0, character: 0 };
    return { uri: workspace.uriOf(symbol.of.path), range: { start, end: start } };
  }
  return { uri: workspace.uriOf(symbol.module.path), range: rangeOf(symbol.name.span) };
}
