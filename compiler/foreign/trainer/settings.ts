import type { Document, Run } from "../launch.ts";
import type { Entry, Located } from "../documents/located.ts";
import { signs } from "../documents/signs.ts";
import { isMegatron } from "../megatron.ts";
import { bare, type Settings, type Told } from "../settings.ts";
import { inTable } from "../../../dsl/in-table.ts";
import { pythonFloat } from "../../engines/python-words.ts";
import { trainerIntegers, trainerNumbers } from "./arguments.ts";
import { throughAxolotl } from "./axolotl.ts";
import { inlineOf } from "./inline.ts";

/** Axolotl's own names for what the Trainer calls otherwise. */
const axolotl: Readonly<Record<string, string>> = {
  micro_batch_size: "per_device_train_batch_size",
  num_epochs: "num_train_epochs",
  lr_scheduler: "lr_scheduler_type",
};

/** Names that other programs have too: two of them, or one that trains beside a JSON that `--deepspeed` names, tell as much. */
const training = ["output_dir", "gradient_checkpointing", "save_total_limit", "fsdp", "fsdp_config"];
const shared = [...training, "model_name_or_path"];

/** The programs that transformers brings as examples; those ending in `_no_trainer` do without. */
const examples =
  /(?:^|\/)run_(?:clm|fim|mlm|mim|plm|glue|xnli|ner|qa|swag|summarization|translation|seq2seq_qa|image_classification|audio_classification|speech_recognition_(?:ctc|seq2seq))\.py$/;

export function isTrainer({ options, program }: Run): boolean {
  // DeepSpeed's own way to say it, which the Trainer does not read.
  if (options.has("deepspeed_config")) return false;
  if (examples.test(program?.text ?? "")) return true;
  if (signs["training-arguments"].sure.some((name) => options.has(name))) return true;
  if (shared.filter((name) => options.has(name)).length >= 2) return true;
  return training.some((name) => options.has(name)) && typeof options.get("deepspeed")?.value === "string";
}

/** Programs whose words lie over the file that they are given: `llamafactory-cli train sft.yaml learning_rate=1e-5`. */
const overriding = /(?:^|\/)(llamafactory-cli|axolotl|trl|swift)$/;

/** What transformers' Trainer is told: its files first, then the command line, which counts. */
export function trainerSettings(documents: readonly Document[], runs: readonly Run[]): Settings | null {
  const settings = new Map<string, Told>();
  let found = false;
  for (const { kind, root } of documents) {
    if (kind !== "training-arguments" && kind !== "llama-factory" && kind !== "axolotl") continue;
    found = true;
    for (const [name, told] of flattened(root))
      settings.set((kind === "axolotl" ? inTable(axolotl, name) : undefined) ?? name, told);
  }
  for (const run of runs) {
    const over = found ? overriding.exec(run.launcher.word.text ?? "")?.[1] : undefined;
    if (isMegatron(run) || (!isTrainer(run) && over === undefined)) continue;
    found = true;
    for (const [name, told] of run.options)
      settings.set((over === "axolotl" ? inTable(axolotl, name) : undefined) ?? name, told);
    for (const { name, read } of inlineOf(run))
      if (read.root !== undefined) for (const each of flattened(read.root, `${name}.`)) settings.set(...each);
  }
  if (!found) return null;
  for (const { kind, root } of documents)
    if (kind === "fsdp") for (const [name, told] of flattened(root)) settings.set(`fsdp_config.${name}`, told);
  const taken = withoutRefused(settings);
  return documents.some(({ kind }) => kind === "axolotl") ? throughAxolotl(taken) : taken;
}

/** A value that its option refuses is told where it stands, and is none that other rules could count with. */
function withoutRefused(settings: Settings): Settings {
  const isRefused = (name: string, { value, known }: Told): boolean => {
    if (!known || !trainerNumbers.has(name)) return false;
    const number = typeof value === "string" && value.trim() !== "" ? pythonFloat(value) : value;
    return number === undefined || (typeof number === "number" && trainerIntegers.has(name) && !Number.isInteger(number));
  };
  return new Map(
    [...settings].map(([name, told]) => [name, isRefused(name, told) ? { ...told, value: null, known: false } : told]),
  );
}

/** Options of accelerate: those of its file, with the sections it has for its plugins, then those of the command. */
export function accelerateSettings(documents: readonly Document[], runs: readonly Run[]): Settings | null {
  const settings = new Map<string, Told>();
  for (const { kind, root } of documents)
    if (kind === "accelerate") for (const each of flattened(root)) settings.set(...each);
  const launched = runs.filter(({ launcher }) => launcher.kind === "accelerate");
  for (const { launcher } of launched) for (const each of launcher.settings) settings.set(...each);
  return settings.size > 0 || launched.length > 0 ? settings : null;
}

/** Scalars by their dotted path, and those of a section by their own name too. */
export function flattened(root: Located, prefix = ""): Map<string, Told> {
  const settings = new Map<string, Told>();
  if (root.kind !== "map") return settings;
  for (const entry of root.entries) {
    const name = `${prefix}${bare(entry.key)}`;
    if (entry.value.kind === "map") {
      for (const [inner, told] of flattened(entry.value, `${name}.`)) settings.set(inner, told);
      settings.set(name, toldOf(entry, name));
    } else settings.set(name, toldOf(entry, name));
  }
  return settings;
}

function toldOf({ key, keySpan, value }: Entry, name: string): Told {
  const listed = value.kind === "list" ? textOf(value.items) : null;
  const [only] = value.kind === "list" && value.items.length === 1 ? value.items : [];
  return {
    value: value.kind === "scalar" ? value.value : value.kind === "unknown" ? null : (listed ?? name),
    known: value.kind !== "unknown",
    span: value.kind === "scalar" || value.kind === "unknown" ? value.span : (only?.span ?? keySpan),
    name: key,
    nameSpan: keySpan,
    from: [],
  };
}

/** A list of words as the command line has it, divided by commas; an empty one says nothing. */
function textOf(items: readonly Located[]): string | null {
  const words = items.map((item) => (item.kind === "scalar" ? item.value : null));
  return words.every((word) => typeof word === "string") ? words.join(",") : null;
}
