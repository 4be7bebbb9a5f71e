import { parseCommandLine } from "../../compiler/engines/megatron/command-line.ts";
import { complaintsOf } from "../../compiler/engines/megatron/complaints.ts";
import { judge } from "../../compiler/engines/megatron/judge.ts";
import { argumentTable, type Entry } from "../../compiler/engines/megatron/table.ts";
import { wordsOf } from "../../compiler/engines/word.ts";
import type { Verdict } from "../truth.ts";

export interface MegatronRow {
  readonly id: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly world_size: number;
  readonly entry: Entry;
  readonly gpu_arch: string;
  readonly te_version?: string | null;
  readonly verdict: "ok" | "error";
  readonly rule_location?: string | null;
  readonly late?: unknown;
}

/** The newest Transformer Engine when the rows were made: rows that don't say otherwise were judged beside it. */
const transformerEngine = "2.18.0";

export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** The engine's file and function; `null` of what the parser says. */
  readonly source: string | null;
}

/** Every error of ours, by a release or the newest. */
export function refusalsOf(row: Omit<MegatronRow, "verdict">, version?: string): readonly Refusal[] {
  const table = argumentTable(row.entry, version);
  const line = parseCommandLine(wordsOf(row.id, row.argv), table);
  const { findings } = judge(line, table, {
    entry: row.entry,
    world: row.world_size,
    env: row.env,
    envOpen: false,
    architecture: Number(row.gpu_arch),
    transformerEngine: row.te_version === undefined ? transformerEngine : row.te_version,
  });
  return [
    ...complaintsOf(line, table)
      .filter(({ severity }) => severity === "error")
      .map(({ code, message }) => ({ code, message, source: null })),
    ...findings
      .filter(({ rule: { diagnostic } }) => diagnostic.severity === "error")
      .map(({ rule: { diagnostic, source }, message }) => ({ code: diagnostic.code, message, source })),
  ];
}

export function judgeMegatron(row: MegatronRow): Verdict {
  const codes = refusalsOf(row).map(({ code }) => code);
  return {
    id: row.id,
    engine: row.verdict,
    ours: codes.length > 0 ? "error" : "ok",
    by: row.rule_location ?? null,
    codes,
    late: row.late !== undefined && row.late !== null && row.late !== "",
  };
}
