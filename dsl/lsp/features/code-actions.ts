import { type CodeAction, CodeActionRequest, type TextDocumentEdit } from "vscode-languageserver";
import type { Action } from "../actions/action.ts";
import { addArgument } from "../actions/add-argument.ts";
import { addMissing } from "../actions/add-missing.ts";
import { convertUnit } from "../actions/convert-unit.ts";
import { declareSecret } from "../actions/declare-secret.ts";
import { extractParam } from "../actions/extract-param.ts";
import { fixes } from "../actions/fixes.ts";
import { importName } from "../actions/import-name.ts";
import { move } from "../actions/move.ts";
import { protocolDiagnostic } from "../diagnostics.ts";
import { feature, viewOf } from "../feature.ts";
import { offsetAt, rangeOf } from "../positions.ts";
import type { Workspace } from "../workspace.ts";

/** Everything that may be offered; one more is one file and one line. */
const offers = [fixes, importName, declareSecret, move, addArgument, addMissing, extractParam, convertUnit];

export const codeActions = feature(
  CodeActionRequest.type,
  { codeActionProvider: { codeActionKinds: ["quickfix", "refactor.extract", "refactor.rewrite"] } },
  (workspace, { textDocument, range, context }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const { source } = view.module.file;
    const at = { view, start: offsetAt(source, range.start), end: offsetAt(source, range.end), workspace };
    const wanted = context.only ?? [""];
    return offers
      .flatMap((offer) => offer(at))
      .filter(({ kind }) => wanted.some((only) => only === "" || kind === only || kind.startsWith(`${only}.`)))
      .map((action) => codeAction(action, workspace));
  },
);

function codeAction({ title, kind, edits, mends }: Action, workspace: Workspace): CodeAction {
  const documents = new Map<string, TextDocumentEdit>();
  for (const { span, newText, snippet } of edits) {
    const { path } = span.source;
    const uri = workspace.uriOf(path);
    const edit = documents.get(uri) ?? {
      textDocument: { uri, version: workspace.document(path)?.version ?? null },
      edits: [],
    };
    const range = rangeOf(span);
    edit.edits.push(
      snippet !== undefined && workspace.client.snippetEdits
        ? { range, snippet: { kind: "snippet", value: snippet } }
        : { range, newText },
    );
    documents.set(uri, edit);
  }
  return {
    title,
    kind,
    edit: { documentChanges: [...documents.values()] },
    ...(mends === undefined
      ? {}
      : { diagnostics: [protocolDiagnostic(mends, workspace)], isPreferred: mends.fixes.length === 1 }),
  };
}
