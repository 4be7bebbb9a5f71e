/**
 * `npm run bench -- truth --megatron F` or `--deepspeed F`: launches with the verdict of the engine's own validators, and ours
 * beside it; `--misconfigurations F`: failures that people reported, and the share of them that is found. Rows are read as JSON lines; their fields are in `truth/megatron.ts` and `truth/deepspeed.ts`.
 */
import { readFileSync } from "node:fs";
import { judgeDeepSpeed, readDeepSpeed, type DeepSpeedVerdict } from "./truth/deepspeed.ts";
import { failuresTable, judgeFailures } from "./truth/misconfigurations.ts";
import { judgeMegatron, type MegatronRow } from "./truth/megatron.ts";

export interface Verdict {
  readonly id: string;
  /** What the engine says, and what we do. */
  readonly engine: "ok" | "error";
  readonly ours: "ok" | "error";
  /** Where the engine refused, and the rules of ours that did. */
  readonly by: string | null;
  readonly codes: readonly string[];
  /** Refusing it is right, although the validators accept it. */
  readonly late: boolean;
}

export interface Report {
  readonly rows: number;
  readonly agreement: number;
  readonly false_alarms: readonly { readonly id: string; readonly codes: readonly string[] }[];
  readonly misses: readonly { readonly id: string; readonly by: string | null }[];
  readonly by_rule: Readonly<Record<string, { readonly rows: number; readonly found: number }>>;
}

export function report(verdicts: readonly Verdict[]): Report {
  const misses = verdicts.filter((each) => each.engine === "error" && each.ours === "ok");
  const alarms = verdicts.filter((each) => each.engine === "ok" && each.ours === "error" && !each.late);
  const byRule: Record<string, { rows: number; found: number }> = {};
  for (const { engine, ours, by } of verdicts) {
    if (engine !== "error" || by === null) continue;
    const tally = (byRule[by] ??= { rows: 0, found: 0 });
    tally.rows++;
    if (ours === "error") tally.found++;
  }
  return {
    rows: verdicts.length,
    agreement: verdicts.length === 0 ? 1 : 1 - (misses.length + alarms.length) / verdicts.length,
    false_alarms: alarms.map(({ id, codes }) => ({ id, codes })),
    misses: misses.map(({ id, by }) => ({ id, by })),
    by_rule: byRule,
  };
}

export async function run(words: readonly string[]): Promise<unknown> {
  const [flag = "", path] = words;
  if (path === undefined || !["--megatron", "--deepspeed", "--misconfigurations"].includes(flag))
    throw new Error("usage: bench truth --megatron FILE | --deepspeed FILE | --misconfigurations FILE");
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (flag === "--misconfigurations") {
    const failures = judgeFailures(lines);
    process.stderr.write(failuresTable(failures));
    return failures;
  }
  if (flag === "--megatron") {
    const result = report(lines.map((line) => judgeMegatron(JSON.parse(line) as MegatronRow)));
    process.stderr.write(table(result));
    return result;
  }
  const verdicts = lines.map((line) => judgeDeepSpeed(readDeepSpeed(line)));
  const result = { ...report(verdicts), ignored: ignoredKeys(verdicts) };
  process.stderr.write(`${table(result)}${ignoredTable(result.ignored)}`);
  return result;
}

interface IgnoredKeys {
  readonly found: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

function ignoredKeys(verdicts: readonly DeepSpeedVerdict[]): IgnoredKeys {
  const named = (id: string, paths: readonly string[]): string[] => paths.map((path) => `${id} ${path}`);
  return {
    found: verdicts.reduce((sum, { ignored }) => sum + ignored.found, 0),
    missed: verdicts.flatMap(({ id, ignored }) => named(id, ignored.missed)),
    wrong: verdicts.flatMap(({ id, ignored }) => named(id, ignored.wrong)),
  };
}

function ignoredTable({ found, missed, wrong }: IgnoredKeys): string {
  const shown = [...missed.map((each) => `  missed  ${each}`), ...wrong.map((each) => `  wrong   ${each}`)];
  return [
    `ignored keys  ${found} found, ${missed.length} missed, ${wrong.length} wrong`,
    ...shown.slice(0, 20),
    "",
  ].join("\n");
}

function table({ rows, agreement, false_alarms, misses, by_rule }: Report): string {
  const missed = Object.entries(by_rule).filter(([, { rows, found }]) => found < rows);
  return [
    `rows          ${rows}`,
    `agreement     ${(100 * agreement).toFixed(2)} %`,
    `false alarms  ${false_alarms.length}`,
    ...false_alarms.slice(0, 20).map(({ id, codes }) => `  ${id}  ${codes.join(" ")}`),
    `misses        ${misses.length}, of ${missed.length} rules`,
    ...missed.slice(0, 40).map(([by, tally]) => `  ${tally.found} of ${tally.rows}  ${by}`),
    "",
  ].join("\n");
}
