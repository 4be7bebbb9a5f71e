/** `raw` blocks: keys of an engine's own configuration. */
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
    "DeepSpeed silently ignores unknown keys at the top level and in several sections, so a misspelt key has no " +
    "effect. Keys are checked against the engine's own schema.",
  fix: "Correct the key, or remove it.",
});

export const engineRawRefused = define<{ key: string; engine: string; version: string; advice: string }>({
  code: "cdr/engine-raw-refused",
  severity: "error",
  message: ({ key, engine, version, advice }) => `${engine} ${version} refuses ${key}: ${advice}`,
  explanation: "Older versions accepted this key. The version used here raises an error when it finds it.",
  fix: "Remove the key, or replace it as the message says.",
});

export const engineRawType = define<{ key: string; value: string; wanted: string }>({
  code: "cdr/engine-raw-type",
  severity: "error",
  message: ({ key, value, wanted }) => `${key} = ${value} is not ${wanted}`,
  explanation:
    "The engine's schema gives each key its type. `auto` is not allowed, since nothing would replace it by a value.",
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
    `${key} = ${raw} contradicts ${derived}, which follows from ${from}${instead == null ? "" : `; to set it, write ${instead}`}`,
  explanation:
    "The value of this key is derived from the stage, and the training program gets the same number. The transformers Trainer " +
    "refuses a DeepSpeed file that disagrees with it.",
  fix: "Change the stage, or remove the key from the raw block.",
});

export const engineRawBeside = define<{ key: string; raw: string; derived: string; from: string }>({
  code: "cdr/engine-raw-beside",
  severity: "warning",
  message: ({ key, raw, derived, from }) =>
    `the run has ${key} = ${raw}, but the plan assumes ${derived}, which follows from ${from}`,
  explanation:
    "The language has no property for this value, so the raw block may set it. But the plan only knows the stage: " +
    "its memory and time are those of the value that the stage implies.",
  fix: "Write a value that a property of the stage can express, or read the plan's figures as estimates.",
});

export const engineRawOwned = define<{ key: string; property: string }>({
  code: "cdr/engine-raw-owned",
  severity: "error",
  message: ({ key, property }) => `${key} must be set by the stage's ${property}`,
  explanation:
    "With an `optimizer` or `scheduler` section DeepSpeed would build its own instead of the stage's, with other parameter " +
    "groups and another schedule. Settings of routers and experts that differ from the model's family would train another model.",
  fix: "Set it in the stage, and remove the key from the raw block.",
});

export const engineRawIgnored = define<Said>({
  code: "cdr/engine-raw-ignored",
  severity: "warning",
  message: say,
  explanation: "The engine accepts this key but never reads it in this combination: it silently has no effect.",
  fix: "Remove the key, or turn on the setting that reads it.",
});

export const engineCombination = define<Said>({
  code: "cdr/engine-combination",
  severity: "error",
  message: say,
  explanation: "The engine refuses this combination when it starts, after the job has been given its devices.",
  fix: "Remove one of the keys that the message names, or give it the value that the message asks for.",
});

export const engineRawUncounted = define<{ key: string; what: string }>({
  code: "cdr/engine-raw-uncounted",
  severity: "info",
  message: ({ key, what }) => `the plan does not count ${key}, which changes ${what}`,
  explanation:
    "The key is passed to the engine unchanged. The estimates of memory and time do not include its effect, so the run may need more or " +
    "less than the plan says.",
  fix: "Leave room for it, or measure a short run and calibrate the cluster with it.",
});

export const engineRawUnread = define<{ raw: string; engine: string }>({
  code: "cdr/engine-raw-unread",
  severity: "error",
  message: ({ raw, engine }) => `raw ${raw} has no effect: the stage runs on engine ${engine}`,
  explanation:
    "`raw deepspeed { … }` is merged into the DeepSpeed configuration, `raw megatron { … }` into Megatron's arguments; no other engine " +
    "reads them.",
  fix: "Remove the raw block, or write the engine that reads it: `engine = megatron`, `engine = deepspeed`.",
});

export const engineRawUnused = define<{ key: string; why: string }>({
  code: "cdr/engine-raw-unused",
  severity: "error",
  message: ({ key, why }) => `${key} has no effect here: ${why}`,
  explanation:
    "DeepSpeed accepts the key, but it acts on parts that this training program does not use: a pipeline's modules, DeepSpeed's data " +
    "loader or its launcher. The program trains a model of transformers and orders the data itself.",
  fix: "Remove the key from the raw block.",
});

export const engineRawSwitch = define<{ key: string }>({
  code: "cdr/engine-raw-switch",
  severity: "error",
  message: ({ key }) => `${key} is a switch: true or false`,
  explanation:
    "A switch of Megatron's command line takes no value: `true` passes it, `false` omits it. Under the name of the setting " +
    "(`add_bias_linear`), the value is that of the setting; under the name of the switch (`disable_bias_linear`), whether the switch is passed.",
  fix: "Write `true` or `false`.",
});

export const engineRawTwice = define<{ key: string; other: string; option: string }>({
  code: "cdr/engine-raw-twice",
  severity: "error",
  message: ({ key, other, option }) => `${key} and ${other} are one argument of the engine, ${option}`,
  explanation:
    "An argument of Megatron may be written under its option's names and under the name that the engine's code reads. They all set the " +
    "same value, which can be given only once.",
  fix: "Keep one of the two keys.",
});

export const engineRawKept = define<{ key: string; raw: string; lost: string }>({
  code: "cdr/engine-raw-kept",
  severity: "warning",
  message: ({ key, raw, lost }) => `with ${key} = ${raw} ${lost}`,
  explanation:
    "Checkpoints of a run are kept in its own folder, and one is saved when the run is asked to stop. Other steps, `keep` and " +
    "`cdrc resume` rely on both.",
  fix: "Remove the key from the raw block, unless that is meant.",
});

export const engineRawDeprecated = define<{ key: string; status: string; replacement: string | null }>({
  code: "cdr/engine-raw-deprecated",
  severity: "warning",
  message: ({ key, status, replacement }) =>
    `${key} is deprecated${status === "deprecated" ? "" : ` (${status})`}${replacement === null ? "" : `; ${replacement} replaces it`}`,
  explanation:
    "The engine keeps the key for old scripts. A later version will refuse it, or it has no effect already.",
  fix: "Write its replacement, or remove the key.",
});
