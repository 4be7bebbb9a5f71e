/**
 * The language server as an editor meets it: what a keystroke takes in a long file, what opening a workspace takes. Server
 * time is what its main thread works between a message and its answer; the round trip is that and whatever else runs on the
 * machine.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chainedFiles, longFile, workspaceFiles } from "./lsp/files.ts";
import { type Session, startSession } from "./lsp/session.ts";

/** Typing begins when the server has run for a while, as it has for whoever edits a long file. */
const warmUp = 60;
/** Between keystrokes; after every tenth one longer, so that the whole file is judged too. */
const pause = 30;
const longPause = 200;
/** Between edits of many files that depend on one another. */
const betweenEdits = 300;

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

interface Latency {
  readonly server: Quantiles;
  readonly roundTrip: Quantiles;
}

interface Row extends Latency {
  readonly name: string;
  readonly limit: string;
}

export async function run(words: readonly string[]): Promise<unknown> {
  const keystrokes = Number(words.find((word) => /^\d+$/.test(word)) ?? 300);
  const folder = mkdtempSync(join(tmpdir(), "cdr-lsp-"));
  try {
    const typing = await typed(folder, keystrokes);
    const workspace = await opened(folder);
    const edits = await edited(folder);
    const rows: Row[] = [
      { name: "keystroke to diagnostics", ...typing.diagnostics, limit: "p50 5, p99 10" },
      { name: "completion", ...typing.completion, limit: "p99 10" },
    ];
    for (const { name, server, roundTrip, limit } of rows) {
      say(`${name.padEnd(34)} p50 ${ms(server.p50)}  p99 ${ms(server.p99)}   (limit ${limit})`);
      say(`${"  round trip".padEnd(34)} p50 ${ms(roundTrip.p50)}  p99 ${ms(roundTrip.p99)}`);
    }
    say(`${"open to first diagnostics, 200 files".padEnd(34)}     ${ms(workspace.first.server)}   (limit 300)`);
    say(`${"  round trip".padEnd(34)}     ${ms(workspace.first.roundTrip)}`);
    say(`${"start of the process to diagnostics".padEnd(34)}     ${ms(workspace.start)}`);
    say(`${"memory, every file analysed".padEnd(34)}     ${(workspace.memory / 1e6).toFixed(0)} MB   (limit 150)`);
    const held = `memory, ${edits.edits} edits of ${edits.files} files`;
    say(`${held.padEnd(34)}     ${(edits.memory / 1e6).toFixed(0)} MB   (limit 150)`);
    return { keystrokes, unit: "ms", ...typing, workspace, edits };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Changes a number in the middle of a long file, digit by digit, and asks for completions there. Each text is a new one, as
 * a person's are: a server that remembers texts gains nothing by it.
 */
async function typed(folder: string, keystrokes: number) {
  const path = join(folder, "long.cdr");
  const lines = longFile(1000).split("\n");
  const line = lines.findIndex((each, index) => index > 500 && each.includes("lr = 6e-4"));
  const character = (lines[line] ?? "").indexOf("6e-4") + 2;
  lines[line] = (lines[line] ?? "").replace("6e-4", `6.${digitsAt(0)}e-4`);
  const text = lines.join("\n");
  writeFileSync(path, text);
  const session = await startSession(folder);
  const first = session.diagnosed(path, 1);
  session.open(path, text);
  const { diagnostics } = await first;
  if (diagnostics.length > 0) throw new Error(`the long file should check clean: ${diagnostics[0]?.message}`);
  const diagnosing: Took[] = [];
  const completing: Took[] = [];
  for (let stroke = 0; stroke < warmUp + keystrokes; stroke++) {
    const version = stroke + 2;
    const [before, after] = [digitsAt(stroke), digitsAt(stroke + 1)];
    const place = [...after].findIndex((digit, index) => digit !== before[index]);
    const diagnosis = await took(session, () => {
      const done = session.diagnosed(path, version);
      session.change(path, version, line, character + place, after[place] ?? "", 1);
      return done;
    });
    await rest();
    const completion = await took(session, () => complete(session, path, line - 3, 14));
    await rest(stroke % 10 === 9 ? longPause : pause);
    if (stroke < warmUp) continue;
    diagnosing.push(diagnosis);
    completing.push(completion);
  }
  const memory = session.memory();
  await session.stop();
  return { lines: lines.length, diagnostics: latency(diagnosing), completion: latency(completing), memory };
}

/** Four digits that no other number of strokes has, one of which is another after each stroke: Gray's code. */
function digitsAt(stroke: number): string {
  return [1000, 100, 10, 1]
    .map((weight) => {
      const digit = Math.floor(stroke / weight) % 10;
      return Math.floor(stroke / (10 * weight)) % 2 === 0 ? digit : 9 - digit;
    })
    .join("");
}

async function opened(folder: string) {
  const files = workspaceFiles(200);
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const before = performance.now();
  const session = await startSession(folder);
  const path = join(folder, "run_57.cdr");
  const first = await took(session, () => {
    const done = session.diagnosed(path, 1);
    session.open(path, files.get("run_57.cdr") ?? "");
    return done;
  });
  const start = performance.now() - before;
  const { items } = await session.connection.sendRequest<{
    items: readonly { readonly items: readonly unknown[] }[];
  }>("workspace/diagnostic", { previousResultIds: [] });
  const wrong = items.filter((report) => report.items.length > 0);
  if (wrong.length > 0) throw new Error(`the workspace should check clean: ${JSON.stringify(wrong[0])}`);
  const memory = session.memory();
  await session.stop();
  return { files: files.size, analysed: items.length, first, start, memory };
}

/** The last of files that each import the one before, edited with all that an editor shows beside it: the most memory meanwhile. */
async function edited(folder: string) {
  const chain = join(folder, "chain");
  mkdirSync(chain);
  const files = chainedFiles(200);
  for (const [name, text] of files) writeFileSync(join(chain, name), text);
  const name = [...files.keys()].at(-1) ?? "";
  const path = join(chain, name);
  const lines = (files.get(name) ?? "").split("\n");
  const line = lines.findIndex((each) => each.includes("2B tokens"));
  const session = await startSession(chain);
  const first = session.diagnosed(path, 1);
  session.open(path, lines.join("\n"));
  await first;
  const textDocument = { uri: pathToFileURL(path).href };
  const range = { start: { line: 0, character: 0 }, end: { line: lines.length, character: 0 } };
  const edits = 40;
  for (let edit = 0; edit < edits; edit++) {
    session.change(path, edit + 2, line, (lines[line] ?? "").indexOf("2B"), String((edit % 7) + 1), 1);
    await session.connection.sendRequest("textDocument/inlayHint", { textDocument, range });
    await session.connection.sendRequest("textDocument/codeLens", { textDocument });
    await rest(betweenEdits);
  }
  const memory = session.mostMemory();
  await session.stop();
  return { files: files.size, edits, memory };
}

const complete = (session: Session, path: string, line: number, character: number) =>
  session.connection.sendRequest("textDocument/completion", {
    textDocument: { uri: pathToFileURL(path).href },
    position: { line, character },
    context: { triggerKind: 1 },
  });

const rest = (ms = pause) => new Promise((done) => setTimeout(done, ms));

interface Took {
  readonly server: number;
  readonly roundTrip: number;
}

async function took(session: Session, work: () => Promise<unknown>): Promise<Took> {
  const before = await session.worked();
  const start = performance.now();
  await work();
  const roundTrip = performance.now() - start;
  return { server: (await session.worked()) - before, roundTrip };
}

const latency = (took: readonly Took[]): Latency => ({
  server: quantiles(took.map(({ server }) => server)),
  roundTrip: quantiles(took.map(({ roundTrip }) => roundTrip)),
});

function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

const say = (text: string) => process.stderr.write(`${text}\n`);
const ms = (value: number) => `${value.toFixed(1).padStart(7)} ms`;
