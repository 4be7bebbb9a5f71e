/** Reading `.cdr`: CPU time and memory by length, beside bare Chevrotain lexing of the same text. */
import { Lexer } from "chevrotain";
import { lexed } from "../dsl/lexer/vocabulary.ts";
import { parse } from "../dsl/syntax/parse.ts";
import { median } from "./measure.ts";
import { sourceOf } from "./sources.ts";

interface Row {
  readonly lines: number;
  readonly characters: number;
  readonly rounds: number;
  /** CPU milliseconds of all threads, the collector's among them; a wall clock would measure the neighbours. */
  readonly parse: { readonly median: number; readonly fastest: number };
  readonly lexing: { readonly median: number; readonly fastest: number };
  readonly microsecondsPerLine: number;
  /** What the tree and its source hold, in MB. */
  readonly heldMegabytes: number;
}

export async function run(words: readonly string[]): Promise<unknown> {
  const asked = words.filter((word) => /^\d+$/.test(word)).map(Number);
  const sizes = asked.length > 0 ? asked : [1_000, 10_000, 100_000, 1_000_000];
  const lexer = new Lexer(lexed, { positionTracking: "onlyOffset", skipValidations: true });
  const warm = { path: "warm.cdr", text: sourceOf(10_000, 7) };
  for (let round = 0; round < 40; round++) {
    parse(warm);
    lexer.tokenize(warm.text);
  }
  process.stderr.write("     lines   parse ms   fastest   us/line   chevrotain lexing ms   held MB\n");
  const rows = sizes.map((lines) => measured(lines, lexer));
  return { rows };
}

function measured(lines: number, lexer: Lexer): Row {
  const text = sourceOf(lines);
  const rounds = Math.max(3, Math.min(40, Math.round(1_000_000 / lines)));
  const own: number[] = [];
  const bare: number[] = [];
  let held = 0;
  for (let round = 0; round < rounds; round++) {
    collect();
    const before = process.memoryUsage().heapUsed;
    const source = { path: "bench.cdr", text };
    const start = process.cpuUsage();
    const parsed = parse(source);
    own.push(milliseconds(start));
    if (parsed.diagnostics.length > 0) throw new Error(`line of ${parsed.diagnostics[0]?.message}`);
    if (round === 0) {
      collect();
      held = (process.memoryUsage().heapUsed - before) / 1e6 + parsed.file.statements.length * 0;
    }
    const again = process.cpuUsage();
    lexer.tokenize(text);
    bare.push(milliseconds(again));
  }
  const of = (times: readonly number[]) => ({ median: median(times), fastest: Math.min(...times) });
  const row: Row = {
    lines,
    characters: text.length,
    rounds,
    parse: of(own),
    lexing: of(bare),
    microsecondsPerLine: (1000 * median(own)) / lines,
    heldMegabytes: held,
  };
  const cells = [
    String(lines).padStart(10),
    row.parse.median.toFixed(1).padStart(11),
    row.parse.fastest.toFixed(1).padStart(10),
    row.microsecondsPerLine.toFixed(2).padStart(10),
    row.lexing.median.toFixed(1).padStart(23),
    held.toFixed(0).padStart(10),
  ];
  process.stderr.write(`${cells.join("")}\n`);
  return row;
}

function milliseconds(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const collect: () => void = typeof globalThis.gc === "function" ? globalThis.gc : () => undefined;
