import { below } from "../release.ts";
import { parsedValues, type CommandLine } from "./command-line.ts";
import {
  absentVariable,
  decided,
  hostOf,
  Undecided,
  type Arguments,
  type Host,
  type Surroundings,
} from "./launch.ts";
import { steps } from "./rules/index.ts";
import { meantBy } from "./meant.ts";
import { onEveryHost } from "./every-host.ts";
import type { Rule } from "./step.ts";
import type { ArgumentTable } from "./table.ts";
import { unknown } from "./unknown.ts";

export interface Finding {
  readonly rule: Rule;
  readonly message: string;
  readonly valid: readonly (string | number)[];
}

export interface Judgement {
  readonly findings: readonly Finding[];
  /** Rules that need something nobody knows before the start. */
  readonly undecided: readonly Rule[];
  /**
   * What is found besides where no variable is set that is not given; `null` where what the engine works out depends on one, and only
   * another judgement tells.
   */
  readonly ifAbsent: readonly Finding[] | null;
  /** Every argument as the engine uses it; `unknown` where that is open. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Holds a launch against everything the engine demands before its first step, or against `asked` of it alone. */
export function judge(
  line: CommandLine,
  table: ArgumentTable,
  around: Surroundings,
  asked: ReadonlySet<Rule> | null = null,
): Judgement {
  const surroundings = { ...around, given: line.given, release: table.version };
  const values = parsedValues(line, table);
  // What a misspelt argument was to say is not said, and not left out either.
  for (const complaint of line.complaints) {
    const name = complaint.kind === "unrecognized" ? meantBy(complaint.word.text ?? "", table) : null;
    const argument = name === null ? undefined : table.byName.get(name);
    if (argument !== undefined && !line.given.has(argument.dest)) values[argument.dest] = unknown;
  }
  if (typeof values["retro_project_dir"] === "string") for (const name of ofRetro) values[name] = unknown;
  for (const [dest, text] of Object.entries(around.texts ?? {})) values[dest] ??= text;
  const args = decided(values) as unknown as Arguments;
  const host = hostOf(surroundings);
  const findings: Finding[] = [];
  const undecided: Rule[] = [];
  const closed = hostOf({ ...surroundings, envOpen: false });
  let ifAbsent: Finding[] | null = [];
  // A file of its own takes the place of every argument, and nobody read it.
  if (typeof values["yaml_cfg"] === "string")
    return { findings, undecided: steps.filter((step) => step.kind === "rule"), ifAbsent, values };

  for (const step of steps) {
    try {
      if (step.kind === "setting") step.apply(args, host);
      else if ((asked === null || asked.has(step)) && isMade(step, table, line)) {
        const message = step.check(args, host);
        if (message !== null) findings.push({ rule: step, message, valid: validFor(step, args, host) });
      }
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      if (step.kind === "rule") {
        const message = error === absentVariable ? null : onEveryHost(step, args, surroundings);
        if (message !== null) findings.push({ rule: step, message, valid: validFor(step, args, host) });
        else undecided.push(step);
        if (error === absentVariable) ifAbsent?.push(...findingOf(step, args, closed));
      } else {
        if (error === absentVariable) ifAbsent = null;
        for (const name of step.sets) if (step.keepsWritten !== true || !line.given.has(name)) values[name] = unknown;
      }
    }
  }
  return { findings, undecided, ifAbsent, values };
}

/** What Retro takes from the file of its project, whatever the line says (megatron/training/arguments.py: load_retro_args, until 0.15). */
const ofRetro: readonly string[] = [
  ...["seq_length", "max_position_embeddings", "global_batch_size", "train_samples", "eval_interval", "eval_iters"],
  ...["data_path", "data_cache_path", "tokenizer_type", "tokenizer_model", "vocab_file", "merge_file", "seed"],
];

function isMade({ gone, written }: Rule, { version }: ArgumentTable, { given }: CommandLine): boolean {
  return (gone === undefined || below(version, gone)) && (written === undefined || given.has(written));
}

function findingOf(rule: Rule, args: Arguments, host: Host): readonly Finding[] {
  try {
    const message = rule.check(args, host);
    return message === null ? [] : [{ rule, message, valid: validFor(rule, args, host) }];
  } catch (error) {
    if (error instanceof Undecided) return [];
    throw error;
  }
}

/** The values that would do, as far as they are known. */
function validFor(rule: Rule, args: Arguments, host: Host): Finding["valid"] {
  try {
    return rule.valid?.(args, host) ?? [];
  } catch (error) {
    if (error instanceof Undecided) return [];
    throw error;
  }
}
