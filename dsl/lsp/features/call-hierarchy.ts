/** Which declaration speaks of which: the stage of its model and data, a function of others. */
import {
  type CallHierarchyItem,
  CallHierarchyIncomingCallsRequest,
  CallHierarchyOutgoingCallsRequest,
  CallHierarchyPrepareRequest,
  type Range,
  SymbolKind,
} from "vscode-languageserver";
import type { Symbol } from "../../symbols/symbol.ts";
import { feature, viewOf, viewOfPath } from "../feature.ts";
import { keyOf } from "../meaning/meaning.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import { offsetAt, rangeOf } from "../positions.ts";
import { usesOf } from "../uses.ts";
import type { Workspace } from "../workspace.ts";
import { symbolFor } from "./type-hierarchy.ts";

export const prepareCallHierarchy = feature(
  CallHierarchyPrepareRequest.type,
  { callHierarchyProvider: true },
  (workspace, { textDocument, position }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const at = occurrenceAt(view.occurrences, offsetAt(view.module.file.source, position));
    return at?.meaning.kind === "symbol" ? [itemOf(at.meaning.symbol, workspace)] : null;
  },
);

export const incomingCalls = feature(CallHierarchyIncomingCallsRequest.type, {}, (workspace, { item }) => {
  const symbol = symbolFor(item, workspace);
  const view = symbol === undefined ? null : viewOfPath(workspace, symbol.module.path);
  if (symbol === undefined || view === null) return [];
  const by = new Map<string, { from: CallHierarchyItem; fromRanges: Range[] }>();
  for (const { occurrence } of usesOf({ kind: "symbol", symbol }, view, workspace)) {
    const { owner, role, span } = occurrence;
    if (owner === null || role === "declaration" || keyOf(owner) === keyOf(symbol)) continue;
    const entry = by.get(keyOf(owner)) ?? { from: itemOf(owner, workspace), fromRanges: [] };
    entry.fromRanges.push(rangeOf(span));
    by.set(keyOf(owner), entry);
  }
  return [...by.values()];
});

export const outgoingCalls = feature(CallHierarchyOutgoingCallsRequest.type, {}, (workspace, { item }) => {
  const symbol = symbolFor(item, workspace);
  const view = symbol === undefined ? null : viewOfPath(workspace, symbol.module.path);
  if (symbol === undefined || view === null) return [];
  const by = new Map<string, { to: CallHierarchyItem; fromRanges: Range[] }>();
  for (const { meaning, owner, role, span } of view.occurrences) {
    if (owner === null || keyOf(owner) !== keyOf(symbol)) continue;
    if (meaning.kind !== "symbol" || role === "declaration") continue;
    const key = keyOf(meaning.symbol);
    const entry = by.get(key) ?? { to: itemOf(meaning.symbol, workspace), fromRanges: [] };
    entry.fromRanges.push(rangeOf(span));
    by.set(key, entry);
  }
  return [...by.values()];
});

function itemOf(symbol: Symbol, workspace: Workspace): CallHierarchyItem {
  const whole = symbol.kind === "namespace" ? symbol.name.span : symbol.node.span;
  return {
    name: symbol.name.text,
    kind: symbol.kind === "block" ? SymbolKind.Class : SymbolKind.Variable,
    detail: symbol.kind === "block" ? symbol.node.head[0].text : symbol.kind,
    uri: workspace.uriOf(symbol.module.path),
    range: rangeOf(whole),
    selectionRange: rangeOf(symbol.name.span),
    data: { path: symbol.module.path, start: symbol.name.span.start },
  };
}
