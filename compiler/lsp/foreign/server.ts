/**
 * The language server for files of other tools: scripts, DeepSpeed JSON, YAML and manifests of a launch. An editor starts it on request,
 * beside the one for `.cdr`, for the files that it names; of others, even among those, it says nothing.
 */
import {
  type CodeAction,
  CodeActionKind,
  type Connection,
  type InitializeResult,
  TextDocuments,
  TextDocumentSyncKind,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { protocolDiagnostic } from "../../../dsl/lsp/diagnostics.ts";
import { offsetAt, rangeOf } from "../../../dsl/lsp/positions.ts";
import { fileUri, pathOf } from "../../../dsl/lsp/uri.ts";
import type { Source } from "../../../dsl/source/source.ts";
import type { Beside } from "../../foreign/beside.ts";
import { completionsAt } from "./completion.ts";
import { hoverAt } from "./hover.ts";
import { judged, type Judged } from "./judge.ts";

/** How long after the last keystroke a launch is judged. */
const quiet = 80;

export interface Told {
  readonly name: string;
  readonly version: string;
  readonly gpu: string | null;
}

export function serveForeign(connection: Connection, told: Told, disk: Beside): void {
  const documents = new TextDocuments(TextDocument);
  const said = new Map<string, readonly Diagnostic[]>();
  const launches = new Map<string, Judged>();
  let waiting: ReturnType<typeof setTimeout> | null = null;

  const sourceOf = (document: TextDocument): Source => ({ path: pathOf(document.uri), text: document.getText() });
  const uriOf = (path: string): string =>
    documents.all().find(({ uri }) => pathOf(uri) === path)?.uri ?? fileUri(path);
  /** Files as their buffers hold them, saved or not. */
  const beside: Beside = {
    ...disk,
    text: (path, from) => {
      const found = disk.text(path, from);
      const wanted = found?.path ?? joined(path, from.path);
      const open = documents.all().find(({ uri }) => pathOf(uri) === wanted);
      return open === undefined ? found : sourceOf(open);
    },
  };

  /** A defect of ours in one file is told, and the other files are judged on. */
  const judgedOrNot = (source: Source): Judged => {
    try {
      return judged(source, beside, told.gpu);
    } catch (error) {
      connection.console.error(`${source.path} is not checked, because of a defect in cdr: ${String(error)}`);
      return { diagnostics: [], reads: [] };
    }
  };

  const judgeAll = (): void => {
    waiting = null;
    launches.clear();
    const open = documents.all().map(sourceOf);
    for (const source of open) launches.set(source.path, judgedOrNot(source));
    // A file that a launch names is judged with it, not alone.
    const named = new Set([...launches].flatMap(([path, { reads }]) => reads.filter((other) => other !== path)));
    const now = new Map<string, Diagnostic[]>(open.map(({ path }) => [path, []]));
    for (const [path, { diagnostics }] of launches) {
      if (named.has(path)) continue;
      for (const diagnostic of diagnostics) {
        const list = now.get(diagnostic.span.source.path) ?? [];
        if (!list.some((other) => same(other, diagnostic))) list.push(diagnostic);
        now.set(diagnostic.span.source.path, list);
      }
    }
    for (const path of new Set([...said.keys(), ...now.keys()])) {
      const diagnostics = (now.get(path) ?? []).map((each) => protocolDiagnostic(each, { uriOf }));
      connection.sendDiagnostics({ uri: uriOf(path), diagnostics }).catch(() => undefined);
    }
    said.clear();
    for (const [path, found] of now) said.set(path, found);
  };
  const changed = (): void => {
    if (waiting !== null) clearTimeout(waiting);
    waiting = setTimeout(judgeAll, quiet);
  };

  connection.onInitialize((): InitializeResult => ({
    capabilities: {
      positionEncoding: "utf-16",
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
      hoverProvider: true,
      completionProvider: { triggerCharacters: ["-", '"', " "] },
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
    },
    serverInfo: { name: told.name, version: told.version },
  }));
  documents.onDidChangeContent(changed);
  documents.onDidClose(changed);
  connection.onHover(({ textDocument, position }) => {
    const document = documents.get(textDocument.uri);
    if (document === undefined) return null;
    const source = sourceOf(document);
    return hoverAt(source, offsetAt(source, position));
  });
  connection.onCompletion(({ textDocument, position, context }) => {
    const document = documents.get(textDocument.uri);
    if (document === undefined) return null;
    const source = sourceOf(document);
    return completionsAt(source, offsetAt(source, position), context?.triggerCharacter === " ");
  });
  connection.onCodeAction(({ textDocument, range }): CodeAction[] =>
    (said.get(pathOf(textDocument.uri)) ?? []).flatMap((diagnostic) => {
      const own = rangeOf(diagnostic.span);
      if (own.end.line < range.start.line || own.start.line > range.end.line) return [];
      return diagnostic.fixes.map(({ title, edits }) => ({
        title,
        kind: CodeActionKind.QuickFix,
        diagnostics: [protocolDiagnostic(diagnostic, { uriOf })],
        edit: {
          changes: Object.groupBy(
            edits.map(({ span, newText }) => ({ uri: uriOf(span.source.path), range: rangeOf(span), newText })),
            ({ uri }) => uri,
          ) as Record<string, { range: ReturnType<typeof rangeOf>; newText: string }[]>,
        },
      }));
    }),
  );
  documents.listen(connection);
  connection.listen();
}

const same = (a: Diagnostic, b: Diagnostic): boolean =>
  a.code === b.code && a.message === b.message && a.span.start === b.span.start;

function joined(path: string, from: string): string {
  if (path.startsWith("/")) return path;
  const parts = from.split("/").slice(0, -1);
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
