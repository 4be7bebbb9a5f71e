/** `raw` blocks: an engine's own keys, in its own words. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";
import { say, type Said } from "./said.ts";

export const engineRawUnknown = define<{
  key: string;
  engine: string;
  nearest: string | null;
  /** When it came or went, seen from the version that is named; or where it belongs. */
  history?: string | null;
}>({
  code: "cdr/engine-raw-unknown",
  severity: "error",
  message: ({ key, engine, nearest, history }) =>
    `${engine} has no key ${key}${nearest === null ? "" : `; did you mean ${nearest}?`}${history == null ? "" : `: ${history}`}`,
  explanation:
    "DeepSpeed ignores unknown keys at the top level and in several sections without a word, so a misspelt key silently " +
    "changes nothing. Keys are checked against the engine's own schema.",
  fix: "Write the key that the message means, or leave it out.",
});

export const engineRawRefused = define<{ key: string; engine: string; version: string; advice: string }>({
  code: "cdr/engine-raw-refused",
  severity: "error",
  message: ({ key, engine, version, advice }) => `${engine} ${version} refuses ${key}: ${advice}`,
  explanation: "Older versions took this key. The version that runs here raises an error when it finds it.",
  fix: "Leave the key out, or write what the message says in its place.",
});

export const engineRawType = define<{ key: string; value: string; wanted: string }>({
  code: "cdr/engine-raw-type",
  severity: "error",
  message: ({ key, value, wanted }) => `${key} = ${value} is not ${wanted}`,
  explanation:
    "The engine's schema gives each key its type. `auto` is filled in by nobody here: every value is concrete.",
  fix: "Write a value of the type that the message names.",
});

export const engineRawConflict = define<{
  key: string;
  raw: string;
  derived: string;
  from: string;
  /** The property that says it, as it would be written. */
  instead?: string | null;
}>({
  code: "cdr/engine-raw-conflict",
  severity: "error",
  message: ({ key, raw, derived, from, instead }) =>
    `${key} = ${raw} contradicts ${derived}, which follows from ${from}${instead == null ? "" : `; to say it, write ${instead}`}`,
  explanation:
    "The value of this key is derived from the stage, and the training program gets the same number. The transformers Trainer " +
    "refuses a DeepSpeed file that disagrees with it.",
  fix: "Change the stage, or leave the key out of the raw block.",
});

export const engineRawBeside = define<{ key: string; raw: string; derived: string; from: string }>({
  code: "cdr/engine-raw-beside",
  severity: "warning",
  message: ({ key, raw, derived, from }) =>
    `the run has ${key} = ${raw}, and the plan counts ${derived}, which follows from ${from}`,
  explanation:
    "The language has no word for this value of the engine's, so the raw block may say it. The plan is made from the stage all " +
    "the same: its memory and time are those of what the stage says.",
  fix: "Take a value that the language has a word for, or read the plan's figures as estimates.",
});

export const engineRawOwned = define<{ key: string; property: string }>({
  code: "cdr/engine-raw-owned",
  severity: "error",
  message: ({ key, property }) => `${key} belongs to ${property} of the stage`,
  explanation:
    "With an `optimizer` or `scheduler` section DeepSpeed would make its own in place of the stage's, with other parameter " +
    "groups and another schedule. What says of a router or of experts something else than the model's family would train another model.",
  fix: "Say it in the stage, and leave the key out of the raw block.",
});

export const engineRawIgnored = define<Said>({
  code: "cdr/engine-raw-ignored",
  severity: "warning",
  message: say,
  explanation:
    "The engine accepts this key and never looks at it in this combination: what was meant by it does not happen, without a word.",
  fix: "Leave the key out, or turn on what reads it.",
});

export const engineCombination = define<Said>({
  code: "cdr/engine-combination",
  severity: "error",
  message: say,
  explanation: "The engine refuses this combination when it starts, after the job has got its devices.",
  fix: "Take out one of the keys that the message names, or give it the value that it asks for.",
});

export const engineRawUncounted = define<{ key: string; what: string }>({
  code: "cdr/engine-raw-uncounted",
  severity: "info",
  message: ({ key, what }) => `the plan does not count ${key}, which changes ${what}`,
  explanation:
    "The engine gets this key as it stands. The estimates of memory and time know nothing of what it changes, so that the run may need more or " +
    "less than the plan says.",
  fix: "Leave room for it, or measure a short run and calibrate the cluster by it.",
});

export const engineRawUnread = define<{ raw: string; engine: string }>({
  code: "cdr/engine-raw-unread",
  severity: "error",
  message: ({ raw, engine }) => `raw ${raw} is given, but the stage runs on engine ${engine}`,
  explanation:
    "`raw deepspeed { … }` is laid over the DeepSpeed configuration and `raw megatron { … }` over Megatron's arguments; no other engine " +
    "reads them.",
  fix: "Remove the raw block, or write the engine that reads it: `engine = megatron`, `engine = deepspeed`.",
});

export const engineRawUnused = define<{ key: string; why: string }>({
  code: "cdr/engine-raw-unused",
  severity: "error",
  message: ({ key, why }) => `${key} changes nothing here: ${why}`,
  explanation:
    "DeepSpeed takes the key, but it acts on parts that a program of its own would bring: a pipeline's modules, its data loader, its own " +
    "launcher. The training program brings a model of transformers and its own order of the data.",
  fix: "Leave the key out of the raw block.",
});

export const engineRawSwitch = define<{ key: string }>({
  code: "cdr/engine-raw-switch",
  severity: "error",
  message: ({ key }) => `${key} is a switch: true or false`,
  explanation:
    "A switch of Megatron's command line takes no value: `true` gives it, `false` leaves it out. Under the name that the engine reads it by " +
    "(`add_bias_linear`) it says the thing itself, under its own name (`disable_bias_linear`) that the switch is given.",
  fix: "Write `true` or `false`.",
});

export const engineRawDeprecated = define<{ key: string; status: string; replacement: string | null }>({
  code: "cdr/engine-raw-deprecated",
  severity: "warning",
  message: ({ key, status, replacement }) =>
    `${key} is deprecated (${status})${replacement === null ? "" : `; ${replacement} takes its place`}`,
  explanation: "The engine keeps it for old scripts. A later version will refuse it, or it has no effect already.",
  fix: "Write what takes its place, or leave the key out.",
});
