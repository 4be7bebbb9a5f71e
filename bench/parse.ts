/**
 * Reading `.cdr`: CPU time and memory by length, beside two floors for the same text: bare Chevrotain lexing, and
 * `JSON.parse` of its words. What is measured is `parse` in a process that has read 400,000 other lines, as a server
 * has; the first file that a process reads costs more. No collection falls into the fastest round of a short text, and
 * several into each round of a long one: what lines cost at different lengths is compared by means. A collection is
 * forced only before memory is measured: forced before each round it would shrink the young generation, and the rounds
 * would measure that.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Lexer } from "chevrotain";
import { lexed } from "../dsl/lexer/vocabulary.ts";
import { parse } from "../dsl/syntax/parse.ts";
import { median } from "./measure.ts";
import { sourceOf } from "./sources.ts";

/** CPU milliseconds of all threads, the collector's among them; a wall clock would measure the neighbours. */
interface Times {
  readonly mean: number;
  readonly median: number;
  readonly fastest: number;
}

interface Row {
  readonly lines: number;
  readonly characters: number;
  readonly rounds: number;
  readonly parse: Times;
  readonly lexing: Times;
  readonly json: Times;
  /** Of the mean round, with its share of the collections. */
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
  process.stderr.write("CPU ms of all threads, warm: mean, median and fastest of parse; means of the floors\n");
  const titles = ["lines", "mean", "median", "fastest", "us/line", "lexing", "JSON.parse", "held MB"];
  process.stderr.write(`${titles.map((title) => title.padStart(13)).join("")}\n`);
  const rows = sizes.map((lines) => measured(lines, lexer));
  return { rows };
}

function measured(lines: number, lexer: Lexer): Row {
  const text = sourceOf(lines);
  const json = JSON.stringify(text.split("\n").map((line) => line.split(" ")));
  const rounds = Math.max(3, Math.min(100, Math.round(1_000_000 / lines)));
  const heldMegabytes = held(text);
  const own: number[] = [];
  const bare: number[] = [];
  const floor: number[] = [];
  for (let round = 0; round < rounds; round++) {
    own.push(timed(() => parse({ path: "bench.cdr", text })));
    bare.push(timed(() => lexer.tokenize(text)));
    floor.push(timed(() => JSON.parse(json)));
  }
  const of = (times: readonly number[]): Times => ({
    mean: mean(times),
    median: median(times),
    fastest: Math.min(...times),
  });
  const row: Row = {
    lines,
    characters: text.length,
    rounds,
    parse: of(own),
    lexing: of(bare),
    json: of(floor),
    microsecondsPerLine: (1000 * mean(own)) / lines,
    heldMegabytes,
  };
  const cells = [
    String(lines),
    row.parse.mean.toFixed(1),
    row.parse.median.toFixed(1),
    row.parse.fastest.toFixed(1),
    row.microsecondsPerLine.toFixed(2),
    row.lexing.mean.toFixed(1),
    row.json.mean.toFixed(1),
    heldMegabytes.toFixed(1),
  ];
  process.stderr.write(`${cells.map((cell) => cell.padStart(13)).join("")}\n`);
  return row;
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, time) => sum + time, 0) / times.length;
}

function held(text: string): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  const { file, diagnostics } = parse({ path: "bench.cdr", text });
  if (diagnostics.length > 0) throw new Error(`the bench's own text is wrong: ${diagnostics[0]?.message}`);
  collect();
  const after = process.memoryUsage().heapUsed;
  // Read behind the measurement, so that the tree is alive while it is taken.
  return file.statements.length > 0 ? (after - before) / 1e6 : 0;
}

function timed(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
