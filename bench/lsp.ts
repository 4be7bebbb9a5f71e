/** The language server as an editor meets it: what a keystroke takes in a long file, what opening a workspace takes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { longFile, workspaceFiles } from "./lsp/files.ts";
import { type Session, startSession } from "./lsp/session.ts";

/** Typing begins when the server has run for a while, as it has for whoever edits a long file. */
const warmUp = 60;
/** Between keystrokes; after every tenth one longer, so that the whole file is judged too. */
const pause = 30;
const longPause = 200;

interface Row {
  readonly name: string;
  readonly p50: number;
  readonly p99: number;
  readonly limit: string;
}

export async function run(words: readonly string[]): Promise<unknown> {
  const keystrokes = Number(words.find((word) => /^\d+$/.test(word)) ?? 300);
  const folder = mkdtempSync(join(tmpdir(), "cdr-lsp-"));
  try {
    const typing = await typed(folder, keystrokes);
    const workspace = await opened(folder);
    const rows: Row[] = [
      { name: "keystroke to diagnostics", ...typing.diagnostics, limit: "p50 5, p99 10" },
      { name: "completion", ...typing.completion, limit: "p99 10" },
    ];
    for (const { name, p50, p99, limit } of rows)
      say(`${name.padEnd(34)} p50 ${ms(p50)}  p99 ${ms(p99)}   (limit ${limit})`);
    say(`${"open to first diagnostics, 200 files".padEnd(34)} ${ms(workspace.first)}   (limit 300)`);
    say(`${"start of the process to diagnostics".padEnd(34)} ${ms(workspace.start)}`);
    say(`${"memory, every file analysed".padEnd(34)} ${(workspace.memory / 1e6).toFixed(0)} MB   (limit 150)`);
    return { keystrokes, unit: "ms, round trip of the protocol", ...typing, workspace };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Changes a number in the middle of a long file, digit by digit, and asks for completions there. */
async function typed(folder: string, keystrokes: number) {
  const path = join(folder, "long.cdr");
  const text = longFile(1000);
  const lines = text.split("\n");
  const line = lines.findIndex((each, index) => index > 500 && each.includes("lr = 6e-4"));
  const character = (lines[line] ?? "").indexOf("6e-4") + 4;
  writeFileSync(path, text);
  const session = await startSession(folder);
  const first = session.diagnosed(path, 1);
  session.open(path, text);
  const { diagnostics } = await first;
  if (diagnostics.length > 0) throw new Error(`the long file should check clean: ${diagnostics[0]?.message}`);
  const diagnosing: number[] = [];
  const completing: number[] = [];
  for (let stroke = 0; stroke < warmUp + keystrokes; stroke++) {
    const version = stroke + 2;
    const isTyped = stroke % 2 === 0;
    const done = session.diagnosed(path, version);
    const start = performance.now();
    session.change(path, version, line, character, isTyped ? String(stroke % 7) : "", isTyped ? 0 : 1);
    await done;
    if (stroke >= warmUp) diagnosing.push(performance.now() - start);
    await rest();
    const asked = performance.now();
    await complete(session, path, line - 3, 14);
    if (stroke >= warmUp) completing.push(performance.now() - asked);
    await rest(stroke % 10 === 9 ? longPause : pause);
  }
  const memory = session.memory();
  await session.stop();
  return { lines: lines.length, diagnostics: quantiles(diagnosing), completion: quantiles(completing), memory };
}

async function opened(folder: string) {
  const files = workspaceFiles(200);
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const before = performance.now();
  const session = await startSession(folder);
  const path = join(folder, "run_57.cdr");
  const done = session.diagnosed(path, 1);
  const start = performance.now();
  session.open(path, files.get("run_57.cdr") ?? "");
  await done;
  const end = performance.now();
  const { items } = await session.connection.sendRequest<{
    items: readonly { readonly items: readonly unknown[] }[];
  }>("workspace/diagnostic", { previousResultIds: [] });
  const wrong = items.filter((report) => report.items.length > 0);
  if (wrong.length > 0) throw new Error(`the workspace should check clean: ${JSON.stringify(wrong[0])}`);
  const memory = session.memory();
  await session.stop();
  return { files: files.size, analysed: items.length, first: end - start, start: end - before, memory };
}

const complete = (session: Session, path: string, line: number, character: number) =>
  session.connection.sendRequest("textDocument/completion", {
    textDocument: { uri: pathToFileURL(path).href },
    position: { line, character },
    context: { triggerKind: 1 },
  });

const rest = (ms = pause) => new Promise((done) => setTimeout(done, ms));

function quantiles(values: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

const say = (text: string) => process.stderr.write(`${text}\n`);
const ms = (value: number) => `${value.toFixed(1).padStart(7)} ms`;
