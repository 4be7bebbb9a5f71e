/** `npm run bench -- parameters --rows F`: published models whose parameters the compiler counts. */
import { readFileSync } from "node:fs";
import { families } from "../compiler/models/index.ts";
import { parametersOf } from "../compiler/models/measure.ts";
import type { FamilyName } from "../compiler/pipeline.ts";
import { complete } from "../compiler/passes/size/complete.ts";

/** A row of `model-parameters.jsonl`, as far as it is read. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly total: number;
  readonly active: number | null;
}

export interface Report {
  readonly exact: number;
  readonly mismatches: readonly { readonly id: string; readonly expected: number; readonly counted: number }[];
  readonly unsupported: readonly { readonly id: string; readonly why: string }[];
}

/** Which family builds a published one. */
const builds: Readonly<Record<string, FamilyName>> = {
  gpt2: "gpt2",
  pythia: "gpt_neox",
  llama2: "llama",
  llama3: "llama",
  tinyllama: "llama",
  mistral: "llama",
};

export function count(rows: string): Report {
  const mismatches: Report["mismatches"][number][] = [];
  const unsupported: Report["unsupported"][number][] = [];
  let exact = 0;
  for (const line of rows.split("\n").filter((text) => text.trim() !== "")) {
    const row = JSON.parse(line) as Row;
    const counted = countOf(row);
    if (typeof counted === "string") unsupported.push({ id: row.id, why: counted });
    else if (counted === row.total) exact++;
    else mismatches.push({ id: row.id, expected: row.total, counted });
  }
  return { exact, mismatches, unsupported };
}

/** The count, or why there is none. */
function countOf({ family, config }: Row): number | string {
  const name = builds[family];
  if (name === undefined) return `family ${family} is not supported yet`;
  const pins = {
    layers: number(config["layers"]),
    d_model: number(config["hidden"]),
    heads: number(config["heads"]),
    kv_heads: number(config["kv_heads"]),
    head_dim: number(config["head_dim"]),
    d_ff: number(config["ffn"]),
    vocab: number(config["vocab"]),
    context: number(config["pos_emb"]),
    tied: flag(config["tied"]),
    bias: flag(config["bias"]),
    qkv_bias: flag(config["qkv_bias"]),
    parallel_residual: flag(config["parallel_residual"]),
  };
  const given = Object.fromEntries(Object.entries(pins).filter(([, value]) => value !== undefined));
  const shape = complete(families[name], given, new Map())?.shape;
  return shape === undefined ? "the row holds too little" : parametersOf(families[name], shape).total;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function flag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

export async function run(args: string[]): Promise<unknown> {
  const at = args.indexOf("--rows");
  const path = at < 0 ? undefined : args[at + 1];
  if (path === undefined) throw new Error("usage: bench parameters --rows FILE");
  const report = count(readFileSync(path, "utf8"));
  process.stderr.write(table(report));
  return report;
}

function table({ exact, mismatches, unsupported }: Report): string {
  const lines = [
    `exact        ${exact}`,
    `mismatches   ${mismatches.length}`,
    ...mismatches.map((m) => `  ${m.id}: ${m.counted} instead of ${m.expected}`),
    `unsupported  ${unsupported.length}`,
    ...unsupported.map((u) => `  ${u.id}: ${u.why}`),
  ];
  return `${lines.join("\n")}\n`;
}
