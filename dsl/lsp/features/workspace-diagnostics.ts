import { type WorkspaceDocumentDiagnosticReport, WorkspaceDiagnosticRequest } from "vscode-languageserver";
import { byPath, protocolDiagnostic } from "../diagnostics.ts";
import { feature } from "../feature.ts";
import { resultId } from "./pull-diagnostics.ts";

export const workspaceDiagnostics = feature(
  WorkspaceDiagnosticRequest.type,
  {},
  (workspace, { previousResultIds }) => {
    const before = new Map(previousResultIds.map(({ uri, value }) => [uri, value]));
    const items = workspace.paths().flatMap((path): WorkspaceDocumentDiagnosticReport[] => {
      const diagnostics = workspace.diagnostics(path);
      if (diagnostics === null) return [];
      const uri = workspace.uriOf(path);
      const version = workspace.document(path)?.version ?? null;
      const id = resultId(diagnostics);
      if (before.get(uri) === id) return [{ uri, version, kind: "unchanged", resultId: id }];
      const own = (byPath(diagnostics).get(path) ?? []).map((d) => protocolDiagnostic(d, workspace));
      return [{ uri, version, kind: "full", resultId: id, items: own }];
    });
    return { items };
  },
);
