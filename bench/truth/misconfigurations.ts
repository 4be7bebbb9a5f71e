/** Reported failures against the files that show them: found, with the right cause, on the right line. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Expected, toldAt } from "../../test/support/misconfigurations.ts";

interface Row {
  readonly id: string;
  readonly category: string;
  readonly statically_detectable: "yes" | "partly" | "no";
}

interface Share {
  readonly rows: number;
  readonly found: number;
}

export interface Failures {
  readonly decidable: Share;
  readonly by_decidability: Readonly<Record<string, Share>>;
  readonly by_category: Readonly<Record<string, Share>>;
  /** Decidable rows that no file here shows, and those whose files do not get their diagnostic. */
  readonly unwritten: readonly string[];
  readonly missed: readonly string[];
}

const root = join(import.meta.dirname, "../../test/fixtures/misconfigurations");

export function judgeFailures(lines: readonly string[]): Failures {
  const index = JSON.parse(readFileSync(join(root, "index.json"), "utf8")) as Readonly<Record<string, Expected>>;
  const rows = lines.map((line) => JSON.parse(line) as Row).filter((row) => row.statically_detectable !== "no");
  const judged = rows.map((row) => ({ ...row, verdict: verdictOf(row.id, index[row.id]) }));
  const found = (of: typeof judged): Share => ({
    rows: of.length,
    found: of.filter(({ verdict }) => verdict === "found").length,
  });
  const by = (key: "category" | "statically_detectable"): Record<string, Share> =>
    Object.fromEntries([...Map.groupBy(judged, (row) => row[key])].map(([name, of]) => [name, found(of)]));
  const ids = (verdict: string): string[] => judged.filter((row) => row.verdict === verdict).map(({ id }) => id);
  return {
    decidable: found(judged),
    by_decidability: by("statically_detectable"),
    by_category: by("category"),
    unwritten: ids("unwritten"),
    missed: ids("missed"),
  };
}

function verdictOf(id: string, expected: Expected | undefined): "found" | "missed" | "unwritten" {
  if (expected === undefined || !existsSync(join(root, id))) return "unwritten";
  const told = toldAt(join(root, id), expected);
  return told.some((each) => each.startsWith(expected.code) && each.endsWith(` ${expected.at}`)) ? "found" : "missed";
}

export function failuresTable({ decidable, by_decidability, by_category, unwritten, missed }: Failures): string {
  const line = ([name, { found, rows }]: readonly [string, Share]): string =>
    `  ${name.padEnd(24)} ${String(found).padStart(3)} of ${String(rows).padStart(3)}`;
  return [
    `found  ${decidable.found} of ${decidable.rows}  ${((100 * decidable.found) / decidable.rows).toFixed(1)} %`,
    ...Object.entries(by_decidability).map(line),
    ...Object.entries(by_category).map(line),
    `unwritten  ${unwritten.join(" ") || "none"}`,
    `missed     ${missed.join(" ") || "none"}`,
    "",
  ].join("\n");
}
