/** Judges the Megatron programs of a launch. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../dsl/source/source.ts";
import { parseCommandLine } from "../engines/megatron/command-line.ts";
import { complaintsOf } from "../engines/megatron/complaints.ts";
import { diagnosticsOfMegatron } from "../engines/megatron/diagnostics.ts";
import { judge, type Judgement } from "../engines/megatron/judge.ts";
import type { Surroundings } from "../engines/megatron/launch.ts";
import { entryOf, isScheduled } from "../engines/megatron/programs.ts";
import { scheduled } from "../engines/megatron/rules/schedule.ts";
import { isDemanded } from "../engines/megatron/since.ts";
import { argumentTable } from "../engines/megatron/table.ts";
import { unknown } from "../engines/megatron/unknown.ts";
import { foreignUnknown } from "../diagnostics/foreign.ts";
import { megatronOther, megatronUnrecognized, megatronValueChoice } from "../diagnostics/megatron.ts";
import type { Beside } from "./beside.ts";
import { architectureOf } from "./known/gpus.ts";
import type { Run, Supplied, World } from "./launch.ts";
import { isStranger, otherMegatron, type Strange } from "./other-megatron.ts";

/** Arguments that no other program has. */
const telling = [
  "tensor_model_parallel_size",
  "pipeline_model_parallel_size",
  "micro_batch_size",
  "num_layers",
  "context_parallel_size",
];

/** Forks add arguments of their own; what the fork of DeepSpeed asserts stands with the rules of DeepSpeed. */
export function isFork(run: Run): boolean {
  return isOfDeepspeed(run) || otherMegatron(run) !== null;
}

const isOfDeepspeed = (run: Run): boolean => argumentsOfDeepspeed.some((name) => run.options.has(name));

const argumentsOfDeepspeed = [
  ...["deepspeed", "deepspeed_config", "deepspeed_activation_checkpointing", "zero_stage", "no_pipeline_parallel"],
  ...["ds_inference", "ds_sequence_parallel_size", "mlp_type", "moe_expert_parallel_size"],
];

export function isMegatron(run: Run): boolean {
  if (entryOf(run.program?.text ?? "") !== null) return true;
  return telling.filter((each) => run.options.has(each)).length >= 2 && !isStranger(run);
}

/** Releases that files name; `null` where none does. */
export interface Installed {
  readonly release: string | null;
  readonly transformerEngine: string | null;
}

export function checkMegatron(
  run: Run,
  world: World,
  supplied: Supplied,
  { release, transformerEngine }: Installed,
  beside: Beside,
): readonly Diagnostic[] {
  // What a command that was cut short lacks has that one cause, which a rule of its own names.
  const strange = isOfDeepspeed(run) ? null : otherMegatron(run);
  if (strange !== null) return [otherOf(strange)];
  if (isFork(run) || run.args.some(({ text }) => /^\s+$/.test(text ?? ""))) return [];
  const entry = entryOf(run.program?.text ?? "");
  const table = release === null ? argumentTable(entry ?? "gpt") : argumentTable(entry ?? "gpt", release);
  const line = parseCommandLine(run.args, table);
  const complaints = entry === null ? toldOfUnknown(complaintsOf(line, table)) : complaintsOf(line, table);
  const env: Record<string, string | typeof unknown> = {};
  const places = new Map<string, Span>();
  for (const [name, { value, span }] of run.command.env) {
    env[name] = value ?? unknown;
    places.set(name, span);
  }
  const file = run.options.get("yaml_cfg");
  if (file !== undefined) return [...complaints, unreadFile(file.span)];
  const trains = isScheduled(run.program?.text ?? "") && !run.options.has("epochs");
  const surroundings: Surroundings = {
    entry: entry ?? "gpt",
    // A tool that is started alone plays the ranks that it wants.
    world: trains || run.launcher.kind !== "python" ? (world.size ?? unknown) : unknown,
    env,
    envOpen: true,
    architecture: architectureOf(supplied.gpu) ?? unknown,
    transformerEngine: transformerEngine ?? unknown,
    texts: textsOf(run, beside),
  };
  const where = { program: run.program?.span ?? run.command.span, env: places };
  const said = (judgement: Pick<Judgement, "findings">): readonly Diagnostic[] =>
    diagnosticsOfMegatron(line, judgement, where).filter(
      ({ code }) => isDemanded(code, table.version) && (trains || !ofTraining.has(code)),
    );
  const open = judge(line, table, surroundings);
  const certain = said(open);
  // Where a script is silent about a variable, the shell that starts it may still have it: what that left undecided is asked again.
  const closed = said(
    open.ifAbsent === null
      ? judge(line, table, { ...surroundings, envOpen: false }, new Set(open.undecided))
      : { findings: open.ifAbsent },
  );
  if (closed.length === 0) return [...complaints, ...certain];
  const known = new Set(certain.map(({ code, message }) => `${code} ${message}`));
  const probable = closed
    .filter(({ code, message }) => !known.has(`${code} ${message}`))
    .map((each): Diagnostic => ({
      ...each,
      severity: "warning",
      message: `${each.message}; nothing in these files sets it`,
    }));
  return [...complaints, ...certain, ...probable];
}

function textsOf({ options }: Run, beside: Beside): Readonly<Record<string, string>> {
  const told = options.get("heterogeneous_layers_config_path");
  const text = typeof told?.value === "string" ? beside.text(told.value, told.span.source)?.text : undefined;
  return text === undefined ? {} : { heterogeneous_layers_config_encoded_json: text };
}

/** A program that nobody knows may take arguments that nobody knows, and one that does other values of Megatron's as well. */
function toldOfUnknown(complaints: readonly Diagnostic[]): readonly Diagnostic[] {
  const own = complaints.filter(({ code }) => code !== megatronUnrecognized.code);
  if (own.length === complaints.length) return own;
  return own.map((each) =>
    each.code === megatronValueChoice.code
      ? {
          ...each,
          severity: "warning",
          message: `${each.message}; the program, which has its own arguments, may set it`,
        }
      : each,
  );
}

/**
 * What Megatron demands where it builds the schedule of a training, and of a layer while it trains. Programs under `tasks` had an
 * `--eval-micro-batch-size` of their own, which is no part of a global batch (tasks/orqa/supervised, tasks/main.py).
 */
const ofTraining: ReadonlySet<string> = new Set([
  ...scheduled.flatMap((step) => (step.kind === "rule" ? [step.diagnostic.code] : [])),
  "cdr/megatron-experts-sequence-parallel",
  "cdr/megatron-evaluation-batch",
]);

function otherOf(strange: readonly Strange[]): Diagnostic {
  const names = [...new Set(strange.map(({ name }) => name))];
  const [first] = strange as readonly [Strange, ...Strange[]];
  return megatronOther(first.span, { names: names.slice(0, 4), more: Math.max(0, names.length - 4) });
}

/** megatron/training/arguments.py: parse_args (load_yaml). */
function unreadFile(span: Span): Diagnostic {
  return foreignUnknown(span, {
    what: "what this launch requests",
    because: "--yaml-cfg takes every argument from a file, in a form that is experimental and not read here",
    advice: "The arguments on the command line are checked",
  });
}
