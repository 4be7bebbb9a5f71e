/** Files of other tools that cannot be read. The demands of their engines are with the rules. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const foreignUnreadable = define<{ why: string }>({
  code: "cdr/foreign-unreadable",
  severity: "error",
  message: ({ why }) => `this is not a file of a launch: ${why}`,
  explanation:
    "`cdrc check` reads text: `.cdr`, shell and sbatch scripts, DeepSpeed JSON, TrainingArguments as JSON or YAML, accelerate, Axolotl, " +
    "LLaMA-Factory and GPT-NeoX YAML, manifests of Kubernetes jobs. It cannot read data, weights or archives.",
  fix: "Give a script or a configuration file of the launch.",
});

export const foreignKind = define<{ found: string }>({
  code: "cdr/foreign-kind",
  severity: "error",
  message: ({ found }) => `the kind of this file cannot be recognised: ${found}`,
  explanation:
    "A file is recognised by its content, not by its name: a DeepSpeed JSON by keys such as `train_batch_size` or `zero_optimization`, " +
    "TrainingArguments by keys such as `per_device_train_batch_size`, an accelerate YAML by `distributed_type`, a manifest by `apiVersion`, " +
    "a script by its first line or by a launcher that it starts.",
  fix: "Give the file that starts the launch, or the file with its settings.",
});

export const foreignShellSyntax = define<{ why: string }>({
  code: "cdr/foreign-shell",
  severity: "error",
  message: ({ why }) => `the shell cannot read this: ${why}`,
  explanation:
    "bash reads a script while it runs it: an open quote or a missing `fi` stops a job that has waited for its GPUs. " +
    "The check never runs any part of a script.",
  fix: "Close the quote, or add the missing `fi`, `done` or `esac`.",
});

export const foreignJsonSyntax = define<{ what: string }>({
  code: "cdr/foreign-json",
  severity: "error",
  message: ({ what }) => `this is not JSON: ${what}`,
  explanation:
    "transformers and accelerate read configuration with Python's `json`, which allows no comments, no trailing commas and only double quotes. " +
    "The launch stops with a JSONDecodeError after every rank has started. DeepSpeed reads its own file " +
    "(`--deepspeed_config`, `deepspeed.initialize`) with `hjson`, which allows them; if the reader is unknown, this is a warning.",
  fix: "Correct the file at this place: no comments, no comma after the last value, only double quotes.",
});

export const foreignDuplicate = define<{ key: string }>({
  code: "cdr/foreign-duplicate",
  severity: "error",
  message: ({ key }) => `${key} is written twice in the same section`,
  explanation:
    "DeepSpeed refuses a JSON with a repeated key, and OmegaConf a YAML: LLaMA-Factory from 0.9.4 on, torchtune, NeMo and whatever Hydra starts. " +
    "Python's YAML and JSON parsers, with which transformers and accelerate read DeepSpeed's file too, silently take the last one; the first, often the intended one, has no effect.",
  fix: "Remove one of the two.",
});

export const foreignYamlSyntax = define<{ why: string }>({
  code: "cdr/foreign-yaml",
  severity: "error",
  message: ({ why }) => `this is not YAML: ${why}`,
  explanation:
    "YAML is indented with spaces, not tabs, and a colon is followed by a space. A file that cannot be read stops the launch at its start.",
  fix: "Correct the file at this place: spaces for indentation, and a space after each colon.",
});

export const foreignTomlSyntax = define<{ what: string }>({
  code: "cdr/foreign-toml",
  severity: "error",
  message: ({ what }) => `this is not TOML: ${what}`,
  explanation:
    "torchtitan reads its file with Python's `tomllib` on every rank. These stop all ranks at the start: a repeated name or table, " +
    "text without quotes, an unclosed bracket.",
  fix: "Correct the file at this place: `name = value` under the header of its table, text in quotes.",
});

export const foreignYamlSize = define<{ limit: number }>({
  code: "cdr/foreign-yaml-size",
  severity: "error",
  message: ({ limit }) => `aliases expand this file to more than ${limit} values`,
  explanation:
    "An alias repeats everything under its anchor. A few lines of nested aliases can expand beyond any memory; no configuration needs that.",
  fix: "Write the values out, or remove nested aliases.",
});

export const foreignTooDeep = define<{ limit: number }>({
  code: "cdr/foreign-depth",
  severity: "error",
  message: ({ limit }) => `brackets are nested more than ${limit} deep`,
  explanation: "No configuration of a launch is nested so deeply; its parser would run out of stack.",
  fix: "Remove levels of brackets.",
});

export const foreignUnknown = define<{ what: string; because: string; advice: string }>({
  code: "cdr/foreign-unknown",
  severity: "info",
  message: ({ what, because, advice }) => `${what} is unknown${because === "" ? "" : `: ${because}`}. ${advice}`,
  explanation:
    "Rules are checked only on known values. `--world N`, `--gpus-per-node N`, `--gpu NAME` and `--model FILE` supply values that the files do not " +
    "give; each value that is still unknown is reported once, and the rules that need it are skipped.",
  fix: "Give the value on the command line, or check the launch on the machine that runs it.",
});

export const foreignEngineVersion = define<{ engine: string; written: string; version: string }>({
  code: "cdr/foreign-engine-version",
  severity: "info",
  message: ({ engine, written, version }) =>
    `${engine} ${written} is not a known release: this launch is checked against ${version}, the nearest known`,
  explanation:
    "The options of each engine are known by release. The release is read from files that install a package with `==`, check out a branch or " +
    "start an image, or from `--engine megatron=0.15`. Otherwise the newest known release is assumed.",
  fix: "Name a known release with `--engine NAME=VERSION`, or look for changes in the engine's release notes.",
});
