/** A stage as a launch of Megatron: its program, its arguments with their origins, and its environment. */
import type { Span } from "../../../../dsl/source/source.ts";
import type { Word } from "../../word.ts";
import { wordsFor } from "../print.ts";
import { argumentTable, versionOf, versions, type ArgumentTable, type Entry } from "../table.ts";
import { courseIntents } from "./course.ts";
import { environmentOf, type Environment } from "./environment.ts";
import { spanOf, type Intent, type Subject } from "./intent.ts";
import { layoutIntents } from "./layout.ts";
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
  readonly entry: Entry & ("gpt" | "hybrid");
  readonly table: ArgumentTable;
  readonly arguments: readonly LoweredArgument[];
  readonly environment: Environment;
  readonly faults: readonly RawFault[];
  readonly contradictions: readonly Contradiction[];
  /** Raw arguments that the engine keeps for old scripts only. */
  readonly deprecated: readonly RawArgument[];
}

/** Arguments that name the data: whoever names it in the engine's words names all of it. */
const sources: ReadonlySet<string> = new Set([
  ...["data_path", "train_data_path", "valid_data_path", "test_data_path"],
  ...["data_args_path", "per_split_data_args_path", "mock_data", "split"],
]);

export function launchOf(subject: Subject): Launch {
  const { stage, plan } = subject;
  const entry = isHybrid(plan.model) ? "hybrid" : "gpt";
  const written = stage.megatron.version?.value;
  const version = (written === undefined ? null : versionOf(written)) ?? versions[0];
  const table = argumentTable(entry, version);
  const raw = readRaw(stage.rawMegatron, (key) => stage.rawMegatronSpans.get(key) ?? stage.span, table);
  const byDest = new Map(raw.given.map((one) => [one.argument.dest, one]));
  const namesData = [...byDest.keys()].some((dest) => sources.has(dest));

  const derived = intentsOf(subject).filter(({ dest }) => !(namesData && sources.has(dest)));
  const contradictions = derived.flatMap((intent) => {
    const other = byDest.get(intent.dest);
    return other === undefined || isChoice(intent) || isSame(other.value, intent.value)
      ? []
      : [{ raw: other, derived: intent }];
  });
  const merged: Intent[] = [
    ...derived.filter(({ dest }) => !byDest.has(dest)),
    ...raw.given.map(({ argument, value, key }) => ({ dest: argument.dest, value, from: `raw.${key}` })),
  ];
  return {
    entry,
    table,
    arguments: merged.map((intent) => ({
      ...intent,
      words: wordsFor(intent.dest, intent.value, table),
      span: spanOf(subject, intent),
    })),
    environment: environmentOf(subject, new Map(merged.map(({ dest, value }) => [dest, value]))),
    faults: raw.faults,
    contradictions,
    deprecated: raw.given.filter(({ argument }) => argument.deprecated === true),
  };
}

/** What the stage means, without what its raw block says. */
export function intentsOf(subject: Subject): readonly Intent[] {
  return [...modelIntents(subject), ...layoutIntents(subject), ...courseIntents(subject), ...runIntents(subject)];
}

export function wordsOfLaunch(launch: Launch): readonly Word[] {
  return launch.arguments.flatMap(({ words, span }) => words.map((text) => ({ text, span })));
}

/** What nobody asked for in the stage may be said otherwise in the engine's own words. */
function isChoice({ from }: Intent): boolean {
  return from === "engine" || from === "data" || from.includes(" ");
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
