import {
  type DocumentDiagnosticReport,
  DocumentDiagnosticRequest,
  type FullDocumentDiagnosticReport,
} from "vscode-languageserver";
import { byPath, protocolDiagnostic } from "../diagnostics.ts";
import { feature } from "../feature.ts";
import { pathOf } from "../uri.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Workspace } from "../workspace.ts";

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
    const found = byPath(diagnostics);
    const related = workspace.client.relatedDiagnostics ? relatedReports(path, found, id, workspace) : {};
    return {
      ...reportOf(found.get(path) ?? [], id, workspace),
      ...(Object.keys(related).length === 0 ? {} : { relatedDocuments: related }),
    };
  },
);

const reportOf = (
  diagnostics: readonly Diagnostic[],
  id: string,
  workspace: Workspace,
): FullDocumentDiagnosticReport => ({
  kind: "full",
  resultId: id,
  items: diagnostics.map((diagnostic) => protocolDiagnostic(diagnostic, workspace)),
});

/** Of which other files something was said with a document, so that what no longer holds can be taken back. */
const said = new WeakMap<Workspace, Map<string, readonly string[]>>();

/** Files that a document reads and that nobody opened; an open one speaks for itself. */
function relatedReports(
  root: string,
  found: ReadonlyMap<string, readonly Diagnostic[]>,
  id: string,
  workspace: Workspace,
): Record<string, FullDocumentDiagnosticReport> {
  const before = said.get(workspace) ?? new Map<string, readonly string[]>();
  said.set(workspace, before);
  const now = [...found.keys()].filter((path) => path !== root);
  const paths = new Set([...now, ...(before.get(root) ?? [])]);
  before.set(root, now);
  return Object.fromEntries(
    [...paths]
      .filter((path) => workspace.document(path) === undefined)
      .map((path) => [workspace.uriOf(path), reportOf(found.get(path) ?? [], id, workspace)]),
  );
}
