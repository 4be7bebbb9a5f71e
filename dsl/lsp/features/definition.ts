import { DefinitionRequest, type Location } from "vscode-languageserver";
import type { StringLiteral } from "../../syntax/ast.ts";
import { feature, type View, viewOf } from "../feature.ts";
import type { Meaning } from "../meaning/meaning.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import { contains, offsetAt, rangeOf } from "../positions.ts";
import type { Workspace } from "../workspace.ts";
import { importTarget } from "./document-links.ts";

export const definition = feature(
  DefinitionRequest.type,
  { definitionProvider: true },
  (workspace, { textDocument, position }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const offset = offsetAt(view.module.file.source, position);
    const occurrence = occurrenceAt(view.occurrences, offset);
    if (occurrence !== null) return declarationOf(occurrence.meaning, workspace);
    const imported = view.module.file.statements.find((s) => s.kind === "import" && contains(s.from.span, offset));
    return imported?.kind === "import" ? importedFile(imported.from, view, workspace) : null;
  },
);

/** Where a word was declared, of a handle what makes it; words of the language are declared nowhere. */
export function declarationOf(meaning: Meaning, workspace: Workspace): Location | null {
  if (meaning.kind === "local" || meaning.kind === "nested" || meaning.kind === "enum_member") {
    const { declaration } = meaning;
    return declaration === undefined
      ? null
      : { uri: workspace.uriOf(declaration.source.path), range: rangeOf(declaration) };
  }
  const symbol = meaning.kind === "symbol" || meaning.kind === "handle" ? meaning.symbol : undefined;
  if (symbol === undefined) return null;
  if (symbol.kind === "namespace") return beginningOf(symbol.of.path, workspace);
  return { uri: workspace.uriOf(symbol.module.path), range: rangeOf(symbol.name.span) };
}

function importedFile(from: StringLiteral, view: View, workspace: Workspace): Location | null {
  const path = importTarget(from, view, workspace);
  return path === null ? null : beginningOf(path, workspace);
}

const start = { line: 0, character: 0 };
const beginningOf = (path: string, workspace: Workspace): Location => ({
  uri: workspace.uriOf(path),
  range: { start, end: start },
});
