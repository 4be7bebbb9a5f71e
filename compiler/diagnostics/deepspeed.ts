/** A DeepSpeed configuration, whoever wrote it. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";
import { say, type Said } from "./said.ts";

export const deepspeedRemoved = define<Said>({
  code: "cdr/deepspeed-removed",
  severity: "error",
  message: say,
  explanation:
    "Older versions accepted this key. The version used here raises an error when it finds it, whatever its value.",
  fix: "Remove the key, or replace it as the message says.",
});

export const deepspeedElasticity = define<Said>({
  code: "cdr/deepspeed-elasticity",
  severity: "error",
  message: say,
  explanation:
    "Releases before 0.19.8 choose the batch of elastic training themselves: of the batches that most numbers of ranks divide evenly, in " +
    "micro-batches of the listed sizes, the largest. With a number of ranks that does not divide it, the launch stops.",
  fix: "Start a number of ranks that the message lists, or widen `max_train_batch_size`, `micro_batch_sizes`, `min_gpus` and `max_gpus`.",
  source: "deepspeed/elasticity/elasticity.py: compute_elastic_config; elasticity/config.py; runtime/config.py",
});

export const deepspeedAmp = define<Said>({
  code: "cdr/deepspeed-amp",
  severity: "error",
  message: say,
  explanation:
    "Releases before 0.19.8 hand the model to NVIDIA Apex where `amp` is enabled. Apex casts it as a whole and keeps its own copies, so the " +
    "engine refuses `amp` beside ZeRO, fp16 or bf16 when it is built.",
  fix: "Remove `amp`, and write `bf16` or `fp16`, which go with ZeRO.",
  source: "deepspeed/runtime/engine.py: _do_optimizer_sanity_check",
});

export const deepspeedKey = define<Said>({
  code: "cdr/deepspeed-key",
  severity: "error",
  message: say,
  explanation:
    "Sections such as zero_optimization, fp16, bf16, compile and the monitors are read by a class with fixed fields; any other key " +
    "stops the engine, even one that is meant as a comment.",
  fix: "Write a key of the section (`valid` lists the nearest, DeepSpeed's page on its configuration all of them), or remove the key, even if it is a comment.",
});

export const deepspeedValue = define<Said>({
  code: "cdr/deepspeed-value",
  severity: "error",
  message: say,
  explanation:
    'The class that reads the section gives each key a type and limits. Texts that can be converted are accepted ("16" for 16), and so is ' +
    '1e8 for a whole number; the text "5e8" is not.',
  fix: "Write a value of the type that the message names, and numbers without quotes.",
});

export const deepspeedShape = define<Said>({
  code: "cdr/deepspeed-shape",
  severity: "error",
  message: say,
  explanation:
    "The engine looks up keys in this section. A single value instead of a section stops it with a Python error.",
  fix: 'Write a section: `{ "key": value }`.',
});

export const deepspeedBoth = define<Said>({
  code: "cdr/deepspeed-both",
  severity: "error",
  message: say,
  explanation: "The engine refuses a deprecated key together with its replacement, whatever their values.",
  fix: "Remove the old key.",
});

export const deepspeedIgnored = define<Said>({
  code: "cdr/deepspeed-ignored",
  severity: "warning",
  message: say,
  explanation:
    "The engine looks up the keys that it knows and never sees the others: a misspelt or misplaced key silently has no effect.",
  fix: "Correct the key, move it to the section that it belongs to, or remove it.",
});

export const deepspeedNoEffect = define<Said>({
  code: "cdr/deepspeed-no-effect",
  severity: "info",
  message: say,
  explanation:
    "The engine knows the key, but never reads it with the chosen ZeRO stage, device or loss scale: it has no effect.",
  fix: "Remove the key, or choose the setting that reads it: another ZeRO stage, device nvme, a dynamic loss scale, a pipeline.",
});

export const deepspeedDeprecated = define<Said>({
  code: "cdr/deepspeed-deprecated",
  severity: "warning",
  message: say,
  explanation:
    "The engine still accepts the old name, with a warning, and reads it as the new one. A later version will refuse it.",
  fix: "Write the new key that the message names.",
});

export const deepspeedDropped = define<Said>({
  code: "cdr/deepspeed-auto",
  severity: "info",
  message: say,
  explanation:
    'The transformers Trainer replaces `"auto"` by a value. A program that passes the file to DeepSpeed itself silently gets the default.',
  fix: "Write the value itself if the program does not use the Trainer; otherwise leave it.",
});
