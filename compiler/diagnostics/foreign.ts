/** What can be wrong with reading files of other tools. What their engines demand stands with each rule. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const foreignUnreadable = define<{ why: string }>({
  code: "cdr/foreign-unreadable",
  severity: "error",
  message: ({ why }) => `this is no file that a launch is made of: ${why}`,
  explanation:
    "`cdrc check` reads text: `.cdr`, shell and sbatch scripts, DeepSpeed JSON, TrainingArguments as JSON or YAML, accelerate, Axolotl, " +
    "LLaMA-Factory and GPT-NeoX YAML, manifests of Kubernetes jobs. Data, weights and archives are none of them.",
  fix: "Give the text file that the launch is made of.",
});

export const foreignKind = define<{ found: string }>({
  code: "cdr/foreign-kind",
  severity: "error",
  message: ({ found }) => `nothing here says what this is: ${found}`,
  explanation:
    "A file is recognised by what it holds, not by its name: a DeepSpeed JSON by keys such as `train_batch_size` or `zero_optimization`, " +
    "TrainingArguments by `per_device_train_batch_size` and their kin, an accelerate YAML by `distributed_type`, a manifest by `apiVersion`, " +
    "a script by its first line or a launcher that it starts.",
  fix: "Give the file that the launch starts from, or the one that holds its settings.",
});

export const foreignShellSyntax = define<{ why: string }>({
  code: "cdr/foreign-shell",
  severity: "error",
  message: ({ why }) => `the shell cannot read this: ${why}`,
  explanation:
    "bash reads a script as it runs it: an open quote or a missing `fi` stops it where the job has long been waiting for its GPUs. " +
    "Nothing of a script is ever run to check it.",
  fix: "Close the quote, or add the `fi`, `done` or `esac` that is missing.",
});

export const foreignJsonSyntax = define<{ what: string }>({
  code: "cdr/foreign-json",
  severity: "error",
  message: ({ what }) => `this is not JSON: ${what}`,
  explanation:
    "transformers and accelerate read configuration with Python's `json`, which has no comments, no trailing commas and only double quotes. " +
    "The launch stops with a JSONDecodeError once every rank has started. DeepSpeed reads a file that it is given itself " +
    "(`--deepspeed_config`, `deepspeed.initialize`) with `hjson`, which has them; where nothing says who reads the file, it is a warning.",
  fix: "Correct the file at that place: no comments, no comma after the last value, double quotes alone.",
});

export const foreignDuplicate = define<{ key: string }>({
  code: "cdr/foreign-duplicate",
  severity: "error",
  message: ({ key }) => `${key} is written twice in the same section`,
  explanation:
    "DeepSpeed refuses a JSON with a key twice. Python's YAML, and its JSON, with which transformers and accelerate read DeepSpeed's file too, " +
    "take the last of them without a word, so that the first, often the one that was meant, has no effect.",
  fix: "Remove one of the two.",
});

export const foreignYamlSyntax = define<{ why: string }>({
  code: "cdr/foreign-yaml",
  severity: "error",
  message: ({ why }) => `this is not YAML: ${why}`,
  explanation:
    "Indentation is blanks, never tabs, and a colon is followed by a blank. What cannot be read stops the launch before it starts.",
  fix: "Correct the file at that place: blanks for indentation, a blank behind each colon.",
});

export const foreignTomlSyntax = define<{ what: string }>({
  code: "cdr/foreign-toml",
  severity: "error",
  message: ({ what }) => `this is not TOML: ${what}`,
  explanation:
    "torchtitan reads its file with Python's `tomllib` on every rank. What that cannot read stops all of them at the start: a name or a table " +
    "that stands twice, a text without quotes, a bracket that is not closed.",
  fix: "Correct the file at that place: `name = value` under the head of its table, text in quotes.",
});

export const foreignYamlSize = define<{ limit: number }>({
  code: "cdr/foreign-yaml-size",
  severity: "error",
  message: ({ limit }) => `aliases make more than ${limit} values of this file`,
  explanation:
    "An alias repeats everything under its anchor. A few lines of nested aliases can expand beyond any memory; no configuration needs that.",
  fix: "Write the values out, or take the aliases of aliases away.",
});

export const foreignTooDeep = define<{ limit: number }>({
  code: "cdr/foreign-depth",
  severity: "error",
  message: ({ limit }) => `brackets are nested more than ${limit} deep`,
  explanation: "No configuration of a launch is nested like that; what reads it would run out of stack.",
  fix: "Take away levels of brackets.",
});

export const foreignUnknown = define<{ what: string; because: string; advice: string }>({
  code: "cdr/foreign-unknown",
  severity: "info",
  message: ({ what, because, advice }) => `${what} is unknown${because === "" ? "" : `: ${because}`}. ${advice}`,
  explanation:
    "A rule speaks only of what is known. `--world N`, `--gpus-per-node N`, `--gpu NAME` and `--model FILE` say what files leave open; what is still " +
    "open afterwards is said once, and the rules that need it stay silent.",
  fix: "Give what the message names on the command line, or check the launch on the machine that runs it.",
});

export const foreignEngineVersion = define<{ engine: string; written: string; version: string }>({
  code: "cdr/foreign-engine-version",
  severity: "info",
  message: ({ engine, written, version }) =>
    `nothing is known of ${engine} ${written}: this launch is judged by ${version}, the nearest known`,
  explanation:
    "Which options an engine has is data, by release. Files name it where they install a package with `==`, check a branch out or start an image; " +
    "`--engine megatron=0.15` says it where they don't. Without one, the newest known release judges.",
  fix: "Name a release that is known with `--engine NAME=VERSION`, or read what changed since in the engine's own notes.",
});
