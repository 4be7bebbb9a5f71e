/**
 * `npm run bench -- arguments --sets F`: argument sets that the engine accepts, each as the script that starts it: imported to a `.cdr`,
 * checked, lowered to the script of a bundle, and that read again. Rows are those of a JSON list or JSON lines: with `argv`, or with
 * the fields that decide the layout (`cfg`), which a plain launch then makes whole. Prints errors that the written file gives, and
 * arguments that changed. `incomplete` are sets of fields that no plain launch makes whole: the engine's own rules refuse them before
 * anything is imported; their arguments are compared all the same.
 */
import { readFileSync } from "node:fs";
import { compiledText } from "../compiler/import/compiled.ts";
import { importLaunch } from "../compiler/import/import.ts";
import { changedArguments, readArguments, type Reading } from "../compiler/import/megatron/reading.ts";
import { judge } from "../compiler/engines/megatron/judge.ts";
import { unknown } from "../compiler/engines/megatron/unknown.ts";
import { wordsFor } from "../compiler/engines/megatron/print.ts";
import { entryOf, programOf } from "../compiler/engines/megatron/programs.ts";
import { argumentTable, type Entry } from "../compiler/engines/megatron/table.ts";
import { wordsOf, type Word } from "../compiler/engines/word.ts";
import { lowerStage } from "../compiler/engines/lower.ts";
import { assemble } from "../compiler/foreign/assemble.ts";
import { quote } from "../compiler/targets/quote.ts";
import { errorsIn } from "../dsl/diagnostics/diagnostic.ts";

/** A set as the corpora have it. */
export interface ArgumentSet {
  readonly id?: string;
  readonly path?: string;
  readonly model?: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly world_size?: number;
  readonly world?: number;
  readonly entry?: Entry;
  readonly gpu_arch?: string;
  readonly recipe?: { readonly script?: string } | null;
  readonly cfg?: Readonly<Record<string, unknown>>;
  readonly verdict?: "ok" | "error";
  readonly late?: unknown;
}

export interface Passage {
  readonly id: string;
  /** Arguments of the set. */
  readonly given: number;
  /** Codes of the errors that the written file gives. */
  readonly codes: readonly string[];
  /** Codes of the rules that the launch breaks before it is imported: of fields alone, that lack what these ask for. */
  readonly broken: readonly string[];
  readonly changed: readonly string[];
  /** The written file; `null` where there was none. */
  readonly text: string | null;
}

interface Report {
  readonly sets: number;
  /** Sets that the corpus gives no arguments of. */
  readonly without_arguments: readonly string[];
  readonly arguments: number;
  readonly incomplete: readonly { readonly id: string; readonly codes: readonly string[] }[];
  readonly false_alarms: readonly { readonly id: string; readonly codes: readonly string[] }[];
  readonly changed: readonly { readonly id: string; readonly argument: string }[];
}

export async function run(words: readonly string[]): Promise<Report> {
  const path = words[words.indexOf("--sets") + 1];
  if (!words.includes("--sets") || path === undefined) throw new Error("usage: bench arguments --sets FILE");
  const rows = setsIn(readFileSync(path, "utf8")).filter(({ verdict, late }) => verdict !== "error" && late == null);
  const each = rows.map(passage);
  const result: Report = {
    sets: rows.length,
    without_arguments: each.flatMap((one, at) => (one === null ? [idOf(rows[at] as ArgumentSet)] : [])),
    arguments: each.reduce((sum, one) => sum + (one?.given ?? 0), 0),
    incomplete: each.flatMap((one) =>
      one === null || one.broken.length === 0 ? [] : [{ id: one.id, codes: one.broken }],
    ),
    false_alarms: each.flatMap((one) =>
      one === null || one.codes.length === 0 || one.broken.length > 0 ? [] : [{ id: one.id, codes: one.codes }],
    ),
    changed: each.flatMap((one) => (one?.changed ?? []).map((argument) => ({ id: one?.id ?? "", argument }))),
  };
  process.stderr.write(
    `sets ${result.sets}, without arguments ${result.without_arguments.length}, incomplete ${result.incomplete.length}, arguments ${result.arguments}, ` +
      `false alarms ${result.false_alarms.length}, changed ${result.changed.length}\n`,
  );
  return result;
}

export function setsIn(text: string): readonly ArgumentSet[] {
  if (text.trimStart().startsWith("[")) return JSON.parse(text) as ArgumentSet[];
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as ArgumentSet);
}

const idOf = ({ id, path }: ArgumentSet): string => id ?? path ?? "";

/** One set from its script to the script of a bundle; `null` where it has no arguments. */
export function passage(set: ArgumentSet): Passage | null {
  const entry = set.entry ?? entryOfSet(set);
  const argv = set.argv ?? (set.cfg === undefined ? null : made(set.cfg, entry));
  if (argv === null) return null;
  const id = idOf(set);
  const world = set.world_size ?? worldOfFields(set);
  const program =
    set.recipe?.script?.endsWith(".py") === true ? set.recipe.script : (programOf(entry) ?? "pretrain_gpt.py");
  const gpu = gpus[set.gpu_arch ?? ""] ?? null;
  const before = reading(wordsOf(id, argv), entry, world, set.env ?? {});
  const { text } = importLaunch(
    [{ path: "train.sh", text: script(argv, program, world, set.env ?? {}) }],
    { supplied: { world: null, gpusPerNode: null, gpu }, launch: null },
    () => undefined,
  );
  const given = before.line.given.size;
  const broken = set.argv === undefined ? refused(before, world) : [];
  if (text === null) return { id, given, codes: ["no file"], broken, changed: [], text };
  const compiled = compiledText(text);
  const codes = compiled.diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  const lowered = errorsIn(compiled.diagnostics) > 0 ? null : loweredWords(compiled);
  if (lowered === null) return { id, given, codes, broken, changed: [], text };
  const after = reading(lowered, entry, world, set.env ?? {});
  return { id, given, codes, broken, changed: changedArguments(before, after), text };
}

/** The arguments of the bundle's `launch.sh`, as its reader finds them. */
function loweredWords({ pipeline, plan }: ReturnType<typeof compiledText>): readonly Word[] | null {
  const stage = pipeline.steps.find((step) => step.kind === "stage");
  const planned = plan.stages[0];
  if (stage?.kind !== "stage" || planned === undefined) return null;
  const [file] = lowerStage(stage, planned, pipeline.launch.cluster);
  if (file === undefined) return null;
  const { launch } = assemble([file], { world: null, gpusPerNode: null, gpu: null }, () => undefined);
  return launch.runs.at(-1)?.args ?? null;
}

function reading(args: readonly Word[], entry: Entry, world: number, env: Readonly<Record<string, string>>): Reading {
  return readArguments({ program: null, entry, args, env, world, architecture: null });
}

const gpus: Readonly<Record<string, string>> = { "8.0": "a100", "10.0": "b200" };

function script(
  argv: readonly string[],
  program: string,
  world: number,
  env: Readonly<Record<string, string>>,
): string {
  const perNode = Math.min(8, world);
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`);
  const nodes = Math.max(1, Math.round(world / perNode));
  const start = `torchrun --nnodes ${nodes} --nproc_per_node ${perNode} ${quote(program)} \\`;
  return `${["#!/bin/bash", ...exports, start, `  ${argv.map(quote).join(" ")}`].join("\n")}\n`;
}

function entryOfSet({ model, recipe }: ArgumentSet): Entry {
  const named = entryOf(recipe?.script ?? "");
  if (named !== null) return named;
  return model === "hybrid" || model === "t5" || model === "bert" || model === "mimo" ? model : "gpt";
}

/** Ranks of a set of fields: those that it names, or as many as its layout asks for. */
function worldOfFields({ world = 8, cfg = {} }: ArgumentSet): number {
  const size = (name: string): number => Number(cfg[`${name}_size`] ?? 1);
  const dense = size("tensor_model_parallel") * size("pipeline_model_parallel") * size("context_parallel");
  const sparse = size("expert_model_parallel") * size("expert_tensor_parallel") * size("pipeline_model_parallel");
  let ranks = world;
  while (ranks < 100_000 && (ranks % dense !== 0 || ranks % sparse !== 0)) ranks += world;
  return ranks;
}

/** Fields and, for what they do not say, a plain launch. */
function made(cfg: Readonly<Record<string, unknown>>, entry: Entry): readonly string[] {
  const width = Number(cfg["hidden_size"] ?? 768);
  const tensor = Number(cfg["tensor_model_parallel_size"] ?? 1);
  const heads = [width / 64, width / 128, width / 32, 8 * tensor, tensor].find(
    (count) => Number.isInteger(count) && width % count === 0 && count % tensor === 0,
  );
  const sequence = entry === "bert" || entry === "t5" ? 512 : 1024;
  const plain = [
    `--num-attention-heads ${heads ?? tensor} --seq-length ${sequence} --max-position-embeddings ${sequence}`,
    "--train-iters 100 --lr 1e-4 --lr-decay-style cosine --disable-bias-linear --mock-data",
    "--tokenizer-type NullTokenizer --vocab-size 50257",
    ...(cfg["recompute_granularity"] === "full" ? ["--recompute-method uniform --recompute-num-layers 1"] : []),
    ...(typeof cfg["mtp_num_layers"] === "number" ? ["--position-embedding-type rope"] : []),
    ...(cfg["hidden_size"] === null || cfg["hidden_size"] === undefined ? ["--hidden-size 768"] : []),
    ...(entry === "t5" ? ["--encoder-num-layers 12 --decoder-num-layers 12 --decoder-seq-length 128"] : []),
    ...(entry !== "t5" && cfg["num_layers"] == null && cfg["hybrid_layer_pattern"] == null
      ? ["--num-layers 12"]
      : []),
  ];
  const fields = wordsOfFields(cfg, entry);
  return [...plain.flatMap((part) => part.split(" ")), ...fields];
}

/** Errors of the engine's own rules. */
function refused({ line, table, entry }: Reading, world: number): readonly string[] {
  const { findings } = judge(line, table, {
    ...{ entry, world, env: {}, envOpen: true, architecture: 9, transformerEngine: unknown },
  });
  return findings.flatMap(({ rule: { diagnostic } }) => (diagnostic.severity === "error" ? [diagnostic.code] : []));
}

/** Fields that were parsed, as words that parse to them. */
function wordsOfFields(cfg: Readonly<Record<string, unknown>>, entry: Entry): readonly string[] {
  const table = argumentTable(entry);
  const known = new Set(table.all.map(({ dest }) => dest));
  const usual = new Map(table.all.map(({ dest, default: value }) => [dest, value ?? null]));
  return Object.entries(cfg).flatMap(([dest, value]) =>
    known.has(dest) && JSON.stringify(usual.get(dest)) !== JSON.stringify(value) ? wordsFor(dest, value, table) : [],
  );
}
