/** An editor in miniature: a client of the real protocol, joined to a server by streams in this process. */
import { PassThrough } from "node:stream";
import { createConnection } from "vscode-languageserver/node";
import {
  type ClientCapabilities,
  createProtocolConnection,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type TextDocumentContentChangeEvent,
} from "vscode-languageserver-protocol/node";
import type { Changes } from "../../compiler/lsp/code-lens.ts";
import { trainingLanguage } from "../../compiler/lsp/index.ts";
import type { Files } from "../../dsl/lsp/files.ts";
import { serve } from "../../dsl/lsp/server.ts";

export interface Editor {
  readonly connection: ProtocolConnection;
  readonly capabilities: InitializeResult["capabilities"];
  /** Opens a document; `|` in its text is the cursor. */
  readonly open: (name: string, text: string) => Open;
  readonly change: (name: string, changes: readonly TextDocumentContentChangeEvent[]) => void;
  readonly close: (name: string) => void;
  readonly ask: <R = unknown>(method: string, params: unknown) => Promise<R>;
  /** The next diagnostics of a document, or those of a version. */
  readonly diagnostics: (name: string, version?: number) => Promise<PublishDiagnosticsParams>;
  readonly pushed: PublishDiagnosticsParams[];
  readonly disk: Map<string, string>;
  readonly stop: () => Promise<void>;
}

export interface Open {
  readonly uri: string;
  readonly position: Position;
  /** `textDocument` and `position`, as most requests want them. */
  readonly at: { readonly textDocument: { readonly uri: string }; readonly position: Position };
}

export const uriOf = (name: string): string => `file:///project/${name}`;

const everything: ClientCapabilities = {
  textDocument: { completion: { completionItem: { snippetSupport: true } } },
  workspace: { workspaceFolders: true },
};

export async function startEditor(
  options: {
    readonly disk?: Readonly<Record<string, string>>;
    readonly capabilities?: ClientCapabilities;
    readonly changes?: Changes;
  } = {},
): Promise<Editor> {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const disk = new Map(Object.entries(options.disk ?? {}).map(([name, text]) => [`/project/${name}`, text]));
  const files: Files = {
    read: (path) => disk.get(path),
    stamp: (path) => disk.get(path),
    list: (folder) => [...disk.keys()].filter((path) => path.startsWith(`${folder}/`) && path.endsWith(".cdr")),
    entries: (folder) =>
      [...disk.keys()].filter((p) => p.startsWith(`${folder}/`)).map((p) => p.slice(folder.length + 1)),
    standardUri: (path) => `file:///${path}.cdr`,
  };
  const server = createConnection(up, down);
  const language = trainingLanguage(
    "0",
    { environment: () => undefined, host: () => undefined },
    options.changes ?? (() => null),
  );
  serve(server, language, files);
  const connection = createProtocolConnection(down, up);
  const pushed: PublishDiagnosticsParams[] = [];
  const waiting: {
    readonly test: (p: PublishDiagnosticsParams) => boolean;
    readonly done: (p: PublishDiagnosticsParams) => void;
  }[] = [];
  connection.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) => {
    pushed.push(params);
    const index = waiting.findIndex(({ test }) => test(params));
    if (index >= 0) waiting.splice(index, 1)[0]?.done(params);
  });
  connection.listen();
  const { capabilities } = await connection.sendRequest<InitializeResult>("initialize", {
    processId: null,
    rootUri: "file:///project",
    workspaceFolders: [{ uri: "file:///project", name: "project" }],
    capabilities: options.capabilities ?? everything,
  });
  await connection.sendNotification("initialized", {});
  const versions = new Map<string, number>();
  return {
    connection,
    capabilities,
    disk,
    pushed,
    open: (name, marked) => {
      const text = marked.replace("|", "");
      const before = marked.slice(0, Math.max(0, marked.indexOf("|")));
      const lines = before.split(/\r\n|\n|\r/);
      const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
      const uri = uriOf(name);
      versions.set(name, 1);
      void connection.sendNotification("textDocument/didOpen", {
        textDocument: { uri, languageId: "cdr", version: 1, text },
      });
      return { uri, position, at: { textDocument: { uri }, position } };
    },
    change: (name, contentChanges) => {
      const version = (versions.get(name) ?? 0) + 1;
      versions.set(name, version);
      void connection.sendNotification("textDocument/didChange", {
        textDocument: { uri: uriOf(name), version },
        contentChanges,
      });
    },
    close: (name) => {
      void connection.sendNotification("textDocument/didClose", { textDocument: { uri: uriOf(name) } });
    },
    ask: (method, params) => connection.sendRequest(method, params),
    diagnostics: (name, version) => {
      const test = (params: PublishDiagnosticsParams) =>
        params.uri === uriOf(name) && (version === undefined || params.version === version);
      const earlier = version === undefined ? undefined : pushed.find(test);
      return earlier === undefined ? new Promise((done) => waiting.push({ test, done })) : Promise.resolve(earlier);
    },
    stop: async () => {
      await connection.sendRequest("shutdown");
      connection.dispose();
      server.dispose();
    },
  };
}

/** A text with a stage that plans, for what needs one. */
export const trained = `import "std/clusters" { dgx_h100 }

data text { from = "corpus/*.txt" }

model small {
  family  = llama
  size    = auto(total = 124M params, within = 5%)
  vocab   = 32_000
  context = 1024 tokens
}

stage pretrain {
  model     = small
  data      = text
  length    = 2B tokens
  batch     = 256 samples
  optimizer = adamw(lr = 6e-4)
  schedule  = cosine(warmup = 30 min)
}

cluster pod extends dgx_h100 { nodes = 2 }
launch hpc on pod { target = slurm() }
`;
