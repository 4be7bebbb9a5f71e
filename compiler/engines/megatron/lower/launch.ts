/** A stage as a launch of Megatron: its program, its arguments with their origins, and its environment. */
import type { Span } from "../../../../dsl/source/source.ts";
import type { StagePlan } from "../../../plan.ts";
import { below } from "../../release.ts";
import type { Word } from "../../word.ts";
import { isUsual, knows, wordsFor } from "../print.ts";
import { entryOf } from "../programs.ts";
import { argumentTable, knownVersionOf, type ArgumentTable, type Entry } from "../table.ts";
import { contradictionsOf, type Contradiction } from "./contradictions.ts";
import { courseIntents } from "./course.ts";
import { asOf } from "./earlier.ts";
import { environmentOf, type Environment } from "./environment.ts";
import { spanOf, type Intent, type Subject } from "./intent.ts";
import { layoutIntents } from "./layout.ts";
import { saidOtherwise } from "./other-words.ts";
import { isHybrid, modelIntents } from "./model.ts";
import { readRaw, type RawArgument, type RawFault } from "./raw.ts";
import { runIntents } from "./run.ts";

export interface LoweredArgument extends Intent {
  /** Empty where the engine does so without a word. */
  readonly words: readonly string[];
  readonly span: Span;
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
  /** Of what no word of the language says: it runs, and the plan counts something else. */
  readonly beside: readonly Contradiction[];
  /** What the raw block says, as far as the engine knows it. */
  readonly raw: readonly RawArgument[];
}

const launches = new WeakMap<StagePlan, Subject & { readonly launch: Launch }>();

/** Each rule of the engine asks for it: it is made once for a stage and its plan. */
export function launchOf(subject: Subject): Launch {
  const { stage, plan, cluster } = subject;
  const known = launches.get(plan);
  if (known?.stage === stage && known.cluster === cluster) return known.launch;
  const launch = lower(subject);
  launches.set(plan, { ...subject, launch });
  return launch;
}

function lower(subject: Subject): Launch {
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

  const intents = intentsOf(subject).flatMap((intent) => asOf(intent, table, subject));
  const derived = intents.filter(({ dest }) => !replaced.has(dest));
  const contradictions = contradictionsOf(subject, intents, byDest);
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
    contradictions: contradictions.filter(({ isWordless }) => !isWordless),
    beside: contradictions.filter(({ isWordless }) => isWordless),
    raw: raw.given,
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
