import { type DocumentDiagnosticReport, DocumentDiagnosticRequest } from "vscode-languageserver";
import { byPath, protocolDiagnostic } from "../diagnostics.ts";
import { feature } from "../feature.ts";
import { pathOf } from "../uri.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";

/** Diagnostics that are still the last ones say nothing new. */
const numbers = new WeakMap<readonly Diagnostic[], string>();
let issued = 0;

export function resultId(diagnostics: readonly Diagnostic[]): string {
  let id = numbers.get(diagnostics);
  if (id === undefined) {
    issued += 1;
    id = String(issued);
    numbers.set(diagnostics, id);
  }
  return id;
}

export const documentDiagnostics = feature(
  DocumentDiagnosticRequest.type,
  { diagnosticProvider: { identifier: "cdr", interFileDependencies: true, workspaceDiagnostics: true } },
  (workspace, { textDocument, previousResultId }): DocumentDiagnosticReport => {
    const path = pathOf(textDocument.uri);
    const diagnostics = workspace.diagnostics(path);
    if (diagnostics === null) return { kind: "full", items: [] };
    const id = resultId(diagnostics);
    if (id === previousResultId) return { kind: "unchanged", resultId: id };
    const items = byPath(diagnostics).get(path) ?? [];
    return {
      kind: "full",
      resultId: id,
      items: items.map((diagnostic) => protocolDiagnostic(diagnostic, workspace)),
    };
  },
);
