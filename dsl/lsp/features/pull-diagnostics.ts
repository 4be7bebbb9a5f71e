import { type DocumentDiagnosticReport, DocumentDiagnosticRequest } from "vscode-languageserver";
import { byPath, protocolDiagnostic } from "../diagnostics.ts";
import { feature } from "../feature.ts";
import { pathOf } from "../uri.ts";
import type { Analysis } from "../workspace.ts";

/** An analysis that is still the last one has nothing new to say. */
const numbers = new WeakMap<Analysis, string>();
let issued = 0;

export function resultId(analysis: Analysis): string {
  let id = numbers.get(analysis);
  if (id === undefined) {
    issued += 1;
    id = String(issued);
    numbers.set(analysis, id);
  }
  return id;
}

export const documentDiagnostics = feature(
  DocumentDiagnosticRequest.type,
  { diagnosticProvider: { identifier: "cdr", interFileDependencies: true, workspaceDiagnostics: true } },
  (workspace, { textDocument, previousResultId }): DocumentDiagnosticReport => {
    const path = pathOf(textDocument.uri);
    const analysis = workspace.analysis(path);
    if (analysis === null) return { kind: "full", items: [] };
    const id = resultId(analysis);
    if (id === previousResultId) return { kind: "unchanged", resultId: id };
    const items = byPath(analysis.diagnostics).get(path) ?? [];
    return {
      kind: "full",
      resultId: id,
      items: items.map((diagnostic) => protocolDiagnostic(diagnostic, workspace)),
    };
  },
);
