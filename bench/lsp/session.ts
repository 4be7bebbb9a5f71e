/** A language server in a process of its own, and a client of the real protocol. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";

const root = join(import.meta.dirname, "../..");

export interface Session {
  readonly connection: ProtocolConnection;
  readonly open: (path: string, text: string) => void;
  readonly change: (
    path: string,
    version: number,
    line: number,
    character: number,
    text: string,
    removed: number,
  ) => void;
  /** When the diagnostics of a version arrive. */
  readonly diagnosed: (path: string, version: number) => Promise<PublishDiagnosticsParams>;
  /** Bytes of memory that the process holds, and the most that it held. */
  readonly memory: () => number;
  readonly mostMemory: () => number;
  /** Milliseconds that the main thread of the process has worked: what others do on the machine is not in them. */
  readonly worked: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

export async function startSession(folder: string): Promise<Session> {
  // As an editor starts it; the clock comes in beside.
  const child: ChildProcess = spawn(join(root, "bin/cdrc"), ["lsp", "--stdio"], {
    stdio: ["pipe", "pipe", "inherit", "ipc"],
    env: { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, "clock.mjs")).href}` },
  });
  if (child.stdin === null || child.stdout === null) throw new Error("the server has no streams");
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const waiting = new Map<string, (params: PublishDiagnosticsParams) => void>();
  connection.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) => {
    const key = `${params.uri} ${params.version}`;
    waiting.get(key)?.(params);
    waiting.delete(key);
  });
  connection.listen();
  const rootUri = pathToFileURL(folder).href;
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri,
    workspaceFolders: [{ uri: rootUri, name: "bench" }],
    capabilities: { textDocument: { completion: { completionItem: { snippetSupport: true } } } },
  });
  await connection.sendNotification("initialized", {});
  const uri = (path: string) => pathToFileURL(path).href;
  const status = (name: string): number => {
    const text = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return 1024 * Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0);
  };
  return {
    connection,
    open: (path, text) => {
      void connection.sendNotification("textDocument/didOpen", {
        textDocument: { uri: uri(path), languageId: "cdr", version: 1, text },
      });
    },
    change: (path, version, line, character, text, removed) => {
      const range = { start: { line, character }, end: { line, character: character + removed } };
      void connection.sendNotification("textDocument/didChange", {
        textDocument: { uri: uri(path), version },
        contentChanges: [{ range, text }],
      });
    },
    diagnosed: (path, version) => new Promise((done) => waiting.set(`${uri(path)} ${version}`, done)),
    memory: () => status("VmRSS"),
    mostMemory: () => status("VmHWM"),
    worked: () =>
      new Promise((done) => {
        child.once("message", (milliseconds: number) => done(milliseconds));
        child.send("worked");
      }),
    stop: async () => {
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      connection.dispose();
    },
  };
}
