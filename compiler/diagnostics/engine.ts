import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const enginePrecision = define<{ precision: string; device: string; engine: string }>({
  code: "cdr/engine-precision",
  severity: "error",
  message: ({ precision, device, engine }) =>
    `${engine} cannot train in ${precision} on ${device}: it has no such type`,
  explanation:
    "bf16 needs an NVIDIA GPU from Ampere on (A100, not T4 or V100) or an AMD Instinct; fp16 needs a GPU. The engines notice " +
    "only after the job has its devices.",
});

export const engineRawUnknown = define<{ key: string; engine: string; nearest: string | null }>({
  code: "cdr/engine-raw-unknown",
  severity: "error",
  message: ({ key, engine, nearest }) =>
    `${engine} has no key ${key}${nearest === null ? "" : `; did you mean ${nearest}?`}`,
  explanation:
    "DeepSpeed ignores unknown keys at the top level and in several sections without a word, so a misspelt key silently " +
    "changes nothing. Keys are checked against the engine's own schema.",
});

export const engineRawRefused = define<{ key: string; engine: string; version: string; advice: string }>({
  code: "cdr/engine-raw-refused",
  severity: "error",
  message: ({ key, engine, version, advice }) => `${engine} ${version} refuses ${key}: ${advice}`,
  explanation: "Older versions took this key. The version that runs here raises an error when it finds it.",
});

export const engineRawType = define<{ key: string; value: string; wanted: string }>({
  code: "cdr/engine-raw-type",
  severity: "error",
  message: ({ key, value, wanted }) => `${key} = ${value} is not ${wanted}`,
  explanation:
    "The engine's schema gives each key its type. `auto` is filled in by nobody here: every value is concrete.",
});

export const engineRawConflict = define<{ key: string; raw: string; derived: string; from: string }>({
  code: "cdr/engine-raw-conflict",
  severity: "error",
  message: ({ key, raw, derived, from }) => `${key} = ${raw} contradicts ${derived}, which follows from ${from}`,
  explanation:
    "The value of this key is derived from the stage, and the training program gets the same number. The transformers Trainer " +
    "refuses a DeepSpeed file that disagrees with it. Change the stage, or leave the key out.",
});

export const engineRawOwned = define<{ key: string; property: string }>({
  code: "cdr/engine-raw-owned",
  severity: "error",
  message: ({ key, property }) => `${key} belongs to ${property} of the stage`,
  explanation:
    "With an `optimizer` or `scheduler` section DeepSpeed would make its own in place of the stage's, with other parameter " +
    "groups and another schedule. Say it once, in the stage.",
});

export const engineRawIgnored = define<{ key: string; why: string }>({
  code: "cdr/engine-raw-ignored",
  severity: "warning",
  message: ({ key, why }) => `${key} has no effect here: ${why}`,
  explanation: "The engine accepts this key but never looks at it in this combination.",
});

export const engineCombination = define<{ what: string; because: string }>({
  code: "cdr/engine-combination",
  severity: "error",
  message: ({ what, because }) => `${what}: ${because}`,
  explanation: "The engine refuses this combination when it starts, after the job has got its devices.",
});

export const engineRawUnread = define<{ engine: string }>({
  code: "cdr/engine-raw-unread",
  severity: "error",
  message: ({ engine }) => `raw deepspeed is given, but the stage runs on engine ${engine}`,
  explanation:
    "`raw deepspeed { … }` is laid over the DeepSpeed configuration, which only engine deepspeed reads. Remove one of the two.",
});
