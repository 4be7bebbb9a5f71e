import {
  type SemanticTokens,
  SemanticTokensDeltaRequest,
  SemanticTokensRangeRequest,
  SemanticTokensRequest,
} from "vscode-languageserver";
import { feature, viewOf } from "../feature.ts";
import { offsetAt } from "../positions.ts";
import { encode, tokenModifiers, tokenTypes } from "../semantic-tokens.ts";
import { pathOf } from "../uri.ts";
import type { Workspace } from "../workspace.ts";

export const semanticTokens = feature(
  SemanticTokensRequest.type,
  {
    semanticTokensProvider: {
      legend: { tokenTypes: [...tokenTypes], tokenModifiers: [...tokenModifiers] },
      full: { delta: true },
      range: true,
    },
  },
  (workspace, { textDocument }) => whole(workspace, textDocument.uri),
);

export const semanticTokensRange = feature(
  SemanticTokensRangeRequest.type,
  {},
  (workspace, { textDocument, range }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const { source } = view.module.file;
    const [from, to] = [offsetAt(source, range.start), offsetAt(source, range.end)];
    return { data: encode(view.occurrences.filter(({ span }) => span.end >= from && span.start <= to)) };
  },
);

/** What a client holds of the documents that it has open: a delta is against that. */
const held = new Map<string, { readonly id: string; readonly data: readonly number[] }>();
let issued = 0;

function whole(workspace: Workspace, uri: string): SemanticTokens {
  const view = viewOf(workspace, uri);
  const data = view === null ? [] : encode(view.occurrences);
  issued += 1;
  const id = String(issued);
  for (const other of held.keys()) if (workspace.document(pathOf(other)) === undefined) held.delete(other);
  held.set(uri, { id, data });
  return { resultId: id, data };
}

export const semanticTokensDelta = feature(
  SemanticTokensDeltaRequest.type,
  {},
  (workspace, { textDocument, previousResultId }) => {
    const before = held.get(textDocument.uri);
    const now = whole(workspace, textDocument.uri);
    if (before === undefined || before.id !== previousResultId) return now;
    const { data } = now;
    const most = Math.min(before.data.length, data.length);
    let start = 0;
    while (start < most && before.data[start] === data[start]) start++;
    let same = 0;
    while (same < most - start && before.data[before.data.length - 1 - same] === data[data.length - 1 - same]) same++;
    const edit = {
      start,
      deleteCount: before.data.length - start - same,
      data: data.slice(start, data.length - same),
    };
    const isSame = edit.deleteCount === 0 && edit.data.length === 0;
    return { ...(now.resultId === undefined ? {} : { resultId: now.resultId }), edits: isSame ? [] : [edit] };
  },
);
