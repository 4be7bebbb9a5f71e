/** A stage as a launch of Megatron: its program, its arguments with their origins, and its environment. */
import type { Span } from "../../../../dsl/source/source.ts";
import type { StageStep } from "../../../pipeline.ts";
import { below } from "../../release.ts";
import type { Word } from "../../word.ts";
import { isUsual, knows, wordsFor } from "../print.ts";
import { entryOf } from "../programs.ts";
import { argumentTable, knownVersionOf, type ArgumentTable, type Entry } from "../table.ts";
import { courseIntents } from "./course.ts";
import { environmentOf, type Environment } from "./environment.ts";
import { spanOf, type Intent, type Subject } from "./intent.ts";
import { layoutIntents } from "./layout.ts";
import { hasOtherWords, saidOtherwise } from "./other-words.ts";
import { isHybrid, modelIntents } from "./model.ts";
import { readRaw, type RawArgument, type RawFault } from "./raw.ts";
import { runIntents } from "./run.ts";

export interface LoweredArgument extends Intent {
  /** Empty where the engine does so without a word. */
  readonly words: readonly string[];
  readonly span: Span;
}

/** A raw value against one that follows from the stage. */
export interface Contradiction {
  readonly raw: RawArgument;
  readonly derived: Intent;
}

export interface Launch {
  /** Its program, below the folder of Megatron. */
  readonly program: string;
  readonly entry: Entry;
  readonly table: ArgumentTable;
  readonly arguments: readonly LoweredArgument[];
  /** What the stage asks for and this version has no argument for. */
  readonly late: readonly LoweredArgument[];
  readonly environment: Environment;
  readonly faults: readonly RawFault[];
  readonly contradictions: readonly Contradiction[];
  /** Raw arguments that the engine keeps for old scripts only. */
  readonly deprecated: readonly RawArgument[];
}

export function launchOf(subject: Subject): Launch {
  const { stage, plan } = subject;
  const { version, entry: form } = stage.megatron;
  // Beside `entry = bridge` the version is Bridge's.
  const named = version === null || form !== undefined ? null : knownVersionOf(version.value);
  const usual = isHybrid(plan.model) ? hybridProgram(named) : "pretrain_gpt.py";
  const program = stage.megatron.program ?? usual;
  const entry = entryOf(program) ?? (isHybrid(plan.model) ? "hybrid" : "gpt");
  const newest = argumentTable(entry);
  const table = named === null ? newest : argumentTable(entry, named);
  const raw = readRaw(stage.rawMegatron, (key) => stage.rawMegatronSpans.get(key) ?? stage.span, table);
  const byDest = new Map(raw.given.map((one) => [one.argument.dest, one]));
  const replaced = saidOtherwise(new Set(byDest.keys()));

  const derived = intentsOf(subject).filter(({ dest }) => !replaced.has(dest));
  const contradictions = derived.flatMap((intent) => {
    const other = byDest.get(intent.dest);
    return other === undefined || isChoice(intent, stage) || agrees(other, intent, byDest)
      ? []
      : [{ raw: other, derived: intent }];
  });
  const merged: Intent[] = [
    ...derived.filter(({ dest }) => !byDest.has(dest)),
    ...raw.given.map(({ argument, value, key }) => ({ dest: argument.dest, value, from: `raw.${key}` })),
  ];
  const lowered = merged.map((intent): LoweredArgument => {
    const isKnown = knows(intent.dest, table);
    return {
      ...intent,
      words: wordsFor(intent.dest, intent.value, isKnown ? table : newest),
      span: spanOf(subject, intent),
    };
  });
  // What the newest does without a word, or by its default, one that never heard of it does as well.
  const late = lowered.filter(
    ({ dest, value, words }) => !knows(dest, table) && words.length > 0 && !isUsual(dest, value, newest),
  );
  return {
    program,
    entry,
    table,
    arguments: lowered.filter(({ dest }) => knows(dest, table)),
    late,
    environment: environmentOf(subject, new Map(merged.map(({ dest, value }) => [dest, value]))),
    faults: raw.faults,
    contradictions,
    deprecated: raw.given.filter(({ argument }) => argument.deprecated === true),
  };
}

/** It had another name before 0.18. */
const hybridProgram = (version: string | null): string =>
  version !== null && below(version, "0.18") ? "pretrain_mamba.py" : "pretrain_hybrid.py";

/** What the stage means, without what its raw block says. */
export function intentsOf(subject: Subject): readonly Intent[] {
  return [...modelIntents(subject), ...layoutIntents(subject), ...courseIntents(subject), ...runIntents(subject)];
}

export function wordsOfLaunch(launch: Launch): readonly Word[] {
  return launch.arguments.flatMap(({ words, span }) => words.map((text) => ({ text, span })));
}

/** What nobody asked for in the stage may be said otherwise in the engine's own words. */
function isChoice({ from, open }: Intent, { model, schedule, span }: StageStep): boolean {
  if (open === true || from === "engine" || from === "data" || from.includes(" ")) return true;
  const [group, ...rest] = from.split(".");
  const name = rest.join(".");
  if (group === "model") return !sizes.has(name) && !model.given.has(name);
  return group === "schedule" && schedule.span.start === span.start && schedule.span.source === span.source;
}

/** What a model is as large as: its plan would be another one's. */
const sizes: ReadonlySet<string> = new Set([
  ...["family", "layers", "d_model", "d_ff", "heads", "kv_heads", "head_dim", "context", "pattern", "vocab"],
  ...[
    "moe.experts",
    "moe.top_k",
    "moe.d_ff",
    "mla.q_rank",
    "mla.kv_rank",
    "mla.nope_dim",
    "mla.rope_dim",
    "mla.v_dim",
  ],
]);

/** The same, or what has other words taken back. */
function agrees(
  { value }: RawArgument,
  { dest, value: derived }: Intent,
  raw: ReadonlyMap<string, RawArgument>,
): boolean {
  if (value === null && hasOtherWords(dest)) return true;
  // The language has no name for the others on this engine, and most of them leave to Adam what is no matrix.
  if (dest === "optimizer") return value === derived || value !== "sgd";
  // The engine lowers what does not divide to what does.
  if (dest === "global_batch_size" && raw.get("decrease_batch_size_if_needed")?.value === true) return true;
  if (dest === "hybrid_layer_pattern") return letters(value) === letters(derived);
  return JSON.stringify(value) === JSON.stringify(derived);
}

/** Layers alone: `|` and what follows `/` say where a pipeline is cut, and what predicts further tokens. */
function letters(pattern: unknown): string {
  return String(pattern).split("/")[0]?.replaceAll("|", "") ?? "";
}
