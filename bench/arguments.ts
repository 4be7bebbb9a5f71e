/**
 * `npm run bench -- arguments --sets F`: argument sets that the engine accepts, read, judged, printed anew and read again; rows are JSON lines with
 * `argv`, `verdict`, `entry`. Prints false alarms of the reader and arguments that changed on the way.
 */
import { readFileSync } from "node:fs";
import { parseCommandLine, parsedValues } from "../compiler/engines/megatron/command-line.ts";
import { complaintsOf } from "../compiler/engines/megatron/complaints.ts";
import { wordsFor } from "../compiler/engines/megatron/print.ts";
import { argumentTable } from "../compiler/engines/megatron/table.ts";
import { wordsOf } from "../compiler/engines/word.ts";
import type { MegatronRow } from "./truth/megatron.ts";

interface Report {
  readonly sets: number;
  readonly arguments: number;
  readonly false_alarms: readonly { readonly id: string; readonly codes: readonly string[] }[];
  readonly changed: readonly { readonly id: string; readonly argument: string }[];
}

export async function run(words: readonly string[]): Promise<Report> {
  const path = words[words.indexOf("--sets") + 1];
  if (!words.includes("--sets") || path === undefined) throw new Error("usage: bench arguments --sets FILE");
  const rows = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as MegatronRow)
    .filter(({ verdict }) => verdict === "ok");
  const each = rows.map(passage);
  const result: Report = {
    sets: rows.length,
    arguments: each.reduce((sum, { given }) => sum + given, 0),
    false_alarms: each.flatMap(({ id, codes }) => (codes.length === 0 ? [] : [{ id, codes }])),
    changed: each.flatMap(({ id, changed }) => changed.map((argument) => ({ id, argument }))),
  };
  process.stderr.write(
    `sets ${result.sets}, arguments ${result.arguments}, false alarms ${result.false_alarms.length}, changed ${result.changed.length}\n`,
  );
  return result;
}

function passage({ id, argv, entry }: MegatronRow): {
  readonly id: string;
  readonly given: number;
  readonly codes: readonly string[];
  readonly changed: readonly string[];
} {
  const table = argumentTable(entry);
  const line = parseCommandLine(wordsOf(id, argv), table);
  const before = parsedValues(line, table);
  const printed = [...line.given].flatMap(([dest, { value }]) => wordsFor(dest, value, table));
  const after = parsedValues(parseCommandLine(wordsOf(id, printed), table), table);
  return {
    id,
    given: line.given.size,
    codes: complaintsOf(line, table)
      .filter(({ severity }) => severity === "error")
      .map(({ code }) => code),
    changed: Object.keys(before).filter((dest) => JSON.stringify(before[dest]) !== JSON.stringify(after[dest])),
  };
}
