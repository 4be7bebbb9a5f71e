/** The life of the server's process, as the protocol has it: spoken to byte by byte, as no library would. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { StreamMessageReader, StreamMessageWriter } from "vscode-languageserver-protocol/node";
import { expect, it } from "vitest";

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

function start() {
  const server = spawn(process.execPath, [join(import.meta.dirname, "../../cli/cdrc.ts"), "lsp"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const writer = new StreamMessageWriter(server.stdin);
  const waiting = new Map<number, (answer: Answer) => void>();
  new StreamMessageReader(server.stdout).listen((message) => {
    const answer = message as unknown as Answer;
    waiting.get(answer.id)?.(answer);
  });
  let count = 0;
  const send = (message: object) => writer.write({ jsonrpc: "2.0", ...message });
  return {
    tell: (method: string) => send({ method }),
    hangUp: () => server.stdin.end(),
    raw: (text: string) => server.stdin.write(text),
    ask: (method: string, params: unknown = null) =>
      new Promise<Answer>((done) => {
        waiting.set(++count, done);
        void send({ id: count, method, params });
      }),
    ended: once(server, "exit").then(([code]) => code as unknown),
  };
}

const hello = { processId: null, rootUri: null, capabilities: {} };
const spot = { textDocument: { uri: "file:///a.cdr" }, position: { line: 0, character: 0 } };

it("answers nothing before it is initialized, and is initialized once", async () => {
  const { ask, tell, ended } = start();
  expect((await ask("textDocument/hover", spot)).error?.code).toBe(-32002);
  expect((await ask("initialize", hello)).error).toBeUndefined();
  expect((await ask("initialize", hello)).error?.code).toBe(-32600);
  expect((await ask("textDocument/hover", spot)).error).toBeUndefined();
  await ask("shutdown");
  expect((await ask("textDocument/hover", spot)).error?.code).toBe(-32600);
  await tell("exit");
  expect(await ended).toBe(0);
});

it("that ends without a shutdown is a failure", async () => {
  const { ask, tell, ended } = start();
  await ask("initialize", hello);
  await tell("exit");
  expect(await ended).toBe(1);
});

it("ends with its input: as the protocol has it, well only behind a shutdown", async () => {
  const lost = start();
  await lost.ask("initialize", hello);
  lost.hangUp();
  expect(await lost.ended).toBe(1);
  const told = start();
  await told.ask("initialize", hello);
  await told.ask("shutdown");
  told.hangUp();
  expect(await told.ended).toBe(0);
});

it("lives on after bytes that are no message", async () => {
  const { ask, raw, tell, ended } = start();
  await ask("initialize", hello);
  raw("Content-Length: 5\r\n\r\n{bad}");
  raw("Content-Length: 2\r\n\r\n[]");
  expect((await ask("textDocument/hover", spot)).result).toBeNull();
  await ask("shutdown");
  await tell("exit");
  expect(await ended).toBe(0);
});
