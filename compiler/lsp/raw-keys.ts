/** The keys of `raw` blocks, from what the engines and the scheduler take. */
import type { OpenKey, OpenKeys } from "../../dsl/lsp/open-keys.ts";
import { rawReaders } from "../passes/resolve/raw-readers.ts";
import { free, owned } from "../targets/slurm/sbatch.ts";
import { deepspeedKeys, described, keyOption, megatronOptions, type Option } from "./foreign/option.ts";

export const rawKeys: OpenKeys = {
  names: (around) => (rawReaders[around] ?? []).map((name) => ({ name, doc: docs[name] ?? "" })),
  keys: (around, [reader = "", ...section]) => {
    if (!(rawReaders[around] ?? []).includes(reader)) return null;
    if (reader === "deepspeed") return deepspeed(section);
    return section.length > 0 ? null : reader === "megatron" ? megatron() : sbatch;
  },
};

const docs: Readonly<Record<string, string>> = {
  deepspeed: "keys of a DeepSpeed configuration",
  megatron: "arguments of Megatron-LM",
  sbatch: "options of sbatch",
};

function deepspeed(section: readonly string[]): readonly OpenKey[] | null {
  const known = deepspeedKeys(section);
  return known === null
    ? null
    : Object.entries(known).map(([name, key]) => openKey(keyOption(name, key, [...section, name])));
}

let arguments_: readonly OpenKey[] | undefined;
/** `--num-layers` is `num_layers` here. */
const megatron = (): readonly OpenKey[] =>
  (arguments_ ??= megatronOptions()
    .filter(({ name }) => name.startsWith("--"))
    .map((option) => openKey(option, ...spellings(option.name.slice(2)))));

/** The one that needs no quotes, and the others. */
const spellings = (name: string): [name: string, ...also: string[]] => [name.replaceAll("-", "_"), name, `--${name}`];

const openKey = (option: Option, name = option.name, ...also: readonly string[]): OpenKey => ({
  name,
  also,
  type: option.type,
  doc: described(option),
  values: option.type === "a switch" ? ["true", "false"] : option.values,
  isSection: option.type.startsWith("a section"),
  isDeprecated: option.deprecated !== null,
});

function sbatchOption(option: string, doc: string, isRefused: boolean): OpenKey {
  const [name, ...also] = spellings(option);
  return {
    ...{ name, also, type: "an option of sbatch", values: [], isSection: false },
    doc: `\`--${option}\`\n\n${doc}.`,
    isDeprecated: isRefused,
  };
}

const sbatch: readonly OpenKey[] = [
  ...[...free].map((name) => sbatchOption(name, "Passed on to sbatch as it is", false)),
  ...Object.entries(owned).map(([name, advice]) => sbatchOption(name, `Refused here: ${advice}`, true)),
];
