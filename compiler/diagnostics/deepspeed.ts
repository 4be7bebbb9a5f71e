/** A DeepSpeed configuration, whoever wrote it. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";
import { say, type Said } from "./said.ts";

export const deepspeedRemoved = define<Said>({
  code: "cdr/deepspeed-removed",
  severity: "error",
  message: say,
  explanation:
    "Older versions took this key. The version that runs here raises an error when it finds it, whatever it says.",
  fix: "Leave the key out, or write what the message says in its place.",
});

export const deepspeedElasticity = define<Said>({
  code: "cdr/deepspeed-elasticity",
  severity: "error",
  message: say,
  explanation:
    "Releases before 0.19.8 choose the batch of elastic training themselves: the largest that the most numbers of ranks share evenly, in " +
    "micro-batches of the sizes that are listed. A start with another number of ranks stops.",
  fix: "Start as many ranks as the message lists, or widen `max_train_batch_size`, `micro_batch_sizes`, `min_gpus` and `max_gpus`.",
  source: "deepspeed/elasticity/elasticity.py: compute_elastic_config; elasticity/config.py; runtime/config.py",
});

export const deepspeedKey = define<Said>({
  code: "cdr/deepspeed-key",
  severity: "error",
  message: say,
  explanation:
    "Sections such as zero_optimization, fp16, bf16, compile and the monitors are read by a class with fixed fields; a key that " +
    "isn't one of them stops the engine, a comment too.",
  fix: "Write a key of the section, of which `valid` lists the nearest (all stand in DeepSpeed's page on its configuration), or leave it out, comments too.",
});

export const deepspeedValue = define<Said>({
  code: "cdr/deepspeed-value",
  severity: "error",
  message: say,
  explanation:
    'The class that reads the section gives each key its type and its limits. Texts that read as the type do as well ("16" for 16), ' +
    'and 1e8 for a whole number; "5e8" as a text does not.',
  fix: "Write a value of the type that the message names, numbers without quotes.",
});

export const deepspeedShape = define<Said>({
  code: "cdr/deepspeed-shape",
  severity: "error",
  message: say,
  explanation: "The engine looks keys up in this section. A single value in its place stops it with a Python error.",
  fix: 'Write a section: `{ "key": value }`.',
});

export const deepspeedBoth = define<Said>({
  code: "cdr/deepspeed-both",
  severity: "error",
  message: say,
  explanation: "A key and the one that replaces it, together, are refused, whatever they say.",
  fix: "Leave the old key out.",
});

export const deepspeedIgnored = define<Said>({
  code: "cdr/deepspeed-ignored",
  severity: "warning",
  message: say,
  explanation:
    "The engine looks the keys up that it knows and never sees the others: a misspelt or misplaced key silently changes nothing.",
  fix: "Write the key that is meant in the section that it belongs to, or remove it.",
});

export const deepspeedNoEffect = define<Said>({
  code: "cdr/deepspeed-no-effect",
  severity: "info",
  message: say,
  explanation:
    "The engine knows the key, but with the stage, device or scale that is chosen it never looks at it: what was meant by it does not happen.",
  fix: "Remove the key, or choose what looks at it: another ZeRO stage, device nvme, a dynamic loss scale, a pipeline.",
});

export const deepspeedDeprecated = define<Said>({
  code: "cdr/deepspeed-deprecated",
  severity: "warning",
  message: say,
  explanation:
    "The engine still takes the old name, warns, and reads it as the new one. A later version will refuse it.",
  fix: "Write the new key that the message names.",
});

export const deepspeedDropped = define<Said>({
  code: "cdr/deepspeed-auto",
  severity: "info",
  message: say,
  explanation:
    '`"auto"` is a word of the transformers Trainer, which fills the value in. A program that hands the file over by itself gets the default, without a word.',
  fix: "Write the value itself where the program is none of the Trainer's; otherwise leave it.",
});
