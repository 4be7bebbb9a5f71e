/** The language server: documents in, diagnostics out, and every feature of the list answered. Needs nothing of Node. */
import {
  type CancellationToken,
  type Connection,
  DidChangeWatchedFilesNotification,
  DidChangeWorkspaceFoldersNotification,
  type InitializeParams,
  ResponseError,
  LSPErrorCodes,
  type ServerCapabilities,
  TextDocuments,
  TextDocumentSyncKind,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { Registry } from "../kind.ts";
import type { Feature } from "./feature.ts";
import type { Files } from "./files.ts";
import { lifecycle } from "./lifecycle.ts";
import { createPublisher } from "./publish.ts";
import { pathOf } from "./uri.ts";
import { type Analysis, type Analyze, createWorkspace, type Workspace } from "./workspace.ts";

export interface Language<A extends Analysis> {
  readonly name: string;
  readonly version: string;
  readonly registry: Registry;
  readonly analyze: Analyze<A>;
  readonly features: readonly Feature<A>[];
}

/** How often the files behind the open ones are looked at, in milliseconds. */
const betweenLooks = 1500;

/** Answers on a connection until it is closed; the workspace is what it knows. `over` is told of `shutdown`. */
export function serve<A extends Analysis>(
  connection: Connection,
  language: Language<A>,
  files: Files,
  over: () => void = () => undefined,
): Workspace<A> {
  const workspace = createWorkspace(language.registry, files, language.analyze);
  const documents = new TextDocuments(TextDocument);
  const life = lifecycle();
  let client: InitializeParams["capabilities"] = {};
  const refresh = (): void => {
    if (client.textDocument?.diagnostic !== undefined && client.workspace?.diagnostics?.refreshSupport === true)
      connection.languages.diagnostics.refresh().catch(() => undefined);
    if (client.workspace?.inlayHint?.refreshSupport === true)
      connection.languages.inlayHint.refresh().catch(() => undefined);
    if (client.workspace?.codeLens?.refreshSupport === true)
      connection.sendRequest("workspace/codeLens/refresh").catch(() => undefined);
  };
  let touchesOthers = false;
  let roots: readonly string[] = [];
  const publisher = createPublisher(
    workspace,
    (params) => {
      // A client that pulls would show what is pushed a second time.
      if (client.textDocument?.diagnostic === undefined) connection.sendDiagnostics(params).catch(() => undefined);
    },
    (isLate) => {
      if (touchesOthers || isLate) refresh();
      touchesOthers = false;
    },
    (path, defect) => connection.console.error(`${path}: ${String(defect)}`),
  );

  connection.onInitialize((params) => {
    const refused = life.begin();
    if (refused !== null) return refused as ResponseError<never>;
    client = params.capabilities;
    workspace.client = {
      snippets: client.textDocument?.completion?.completionItem?.snippetSupport === true,
      snippetEdits: client.workspace?.workspaceEdit?.snippetEditSupport === true,
      relatedDiagnostics: client.textDocument?.diagnostic?.relatedDocumentSupport === true,
    };
    const { workspaceFolders: folders, rootUri: root = null } = params;
    roots = (folders ?? (root === null ? [] : [{ uri: root }])).map(({ uri }) => pathOf(uri));
    workspace.folders(roots);
    return {
      capabilities: capabilitiesOf(language.features),
      serverInfo: { name: language.name, version: language.version },
    };
  });
  connection.onInitialized(() => {
    if (client.workspace?.didChangeWatchedFiles?.dynamicRegistration === true)
      connection.client
        .register(DidChangeWatchedFilesNotification.type, {
          watchers: [{ globPattern: "**/*.{cdr,py}" }],
        })
        .catch(() => undefined);
    // The library's own handler would ask back for the folders, which not every client answers.
    connection.onNotification(DidChangeWorkspaceFoldersNotification.type, ({ event: { added, removed } }) => {
      const gone = new Set(removed.map(({ uri }) => pathOf(uri)));
      roots = [...new Set([...roots.filter((root) => !gone.has(root)), ...added.map(({ uri }) => pathOf(uri))])];
      workspace.folders(roots);
      touchesOthers = true;
      publisher.changed(null);
    });
  });

  documents.onDidChangeContent(({ document }) => {
    const { uri, version } = document;
    workspace.put({ uri, version, text: document.getText() });
    touchesOthers = documents.keys().length > 1;
    publisher.changed(pathOf(uri));
  });
  documents.onDidClose(({ document }) => {
    workspace.close(document.uri);
    publisher.closed(pathOf(document.uri));
    publisher.changed(null);
  });
  const lookAgain = (): void => {
    workspace.relist();
    touchesOthers = true;
    publisher.changed(null);
  };
  connection.onDidChangeWatchedFiles(lookAgain);
  // Not every client watches files, and none those outside its folders.
  const watch = setInterval(() => {
    workspace.relist();
    if (workspace.isBehind()) lookAgain();
  }, betweenLooks);
  if (typeof watch === "object") watch.unref();
  connection.onShutdown(() => {
    life.end();
    over();
    clearInterval(watch);
    publisher.stop();
  });

  for (const { method, answer, behind } of language.features) {
    const answered = (params: unknown, token: CancellationToken): unknown => {
      if (token.isCancellationRequested) return new ResponseError(LSPErrorCodes.RequestCancelled, "cancelled");
      try {
        return answer(workspace, params as never);
      } catch (defect) {
        // What a feature refuses, it refuses so.
        if (defect instanceof ResponseError) throw defect;
        connection.console.error(`${method}: ${String(defect)}`);
        return null;
      }
    };
    connection.onRequest(method, (params: unknown, token) => {
      const refused = life.refusal();
      if (refused !== null) return refused;
      if (behind === null) return answered(params, token);
      const path = behind(params as never);
      const version = workspace.document(path)?.version;
      return publisher
        .judged(path)
        .then(() =>
          workspace.document(path)?.version === version
            ? answered(params, token)
            : new ResponseError(LSPErrorCodes.ContentModified, "the text has changed since"),
        );
    });
  }
  documents.listen(connection);
  connection.listen();
  return workspace;
}

function capabilitiesOf(features: readonly Feature<never>[]): ServerCapabilities {
  const own = features.map(({ capabilities }) => capabilities);
  return {
    positionEncoding: "utf-16",
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: false },
    workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
    ...Object.assign({}, ...own),
  };
}
