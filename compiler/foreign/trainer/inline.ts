/** Settings that stand on the command line itself: `--fsdp_config '{"activation_checkpointing": true}'`. */
import type { Run } from "../launch.ts";
import { readJson, type ReadJson } from "../documents/json.ts";
import { withUnknown } from "../documents/unknown.ts";
import { isMegatron } from "../megatron.ts";
import { cut, joined, type Text } from "../shell/text.ts";
import type { ShellWord } from "../shell/state.ts";
import { bare } from "../settings.ts";

export interface Inline {
  readonly name: string;
  readonly read: ReadJson;
}

/** Source: transformers/training_args.py: TrainingArguments._VALID_DICT_FIELDS; trl has one more. */
const taken: ReadonlySet<string> = new Set([
  ...["accelerator_config", "fsdp_config", "deepspeed", "activation_checkpointing_kwargs"],
  ...["gradient_checkpointing_kwargs", "lr_scheduler_kwargs", "model_init_kwargs"],
]);

const known = new WeakMap<Run, readonly Inline[]>();

/** What begins with a brace is read as JSON, and anything else is the name of a file. */
export function inlineOf(run: Run): readonly Inline[] {
  const found = known.get(run) ?? (isMegatron(run) ? [] : run.args.flatMap((word, at) => inlineAt(word, run.args[at + 1])));
  known.set(run, found);
  return found;
}

function inlineAt(word: ShellWord, next: ShellWord | undefined): readonly Inline[] {
  const head = word.pieces[0]?.text ?? "";
  const [, written = "", equals] = /^--([\w-]+)(=)?/.exec(head) ?? [];
  const name = bare(written);
  if (!taken.has(name)) return [];
  const text = equals === undefined ? textOf(next) : textOf(word, written.length + 3);
  if (text === null) return [];
  const filled = withUnknown(text, "json");
  const read = readJson(filled);
  // A variable may hold more than a value.
  return filled !== text && isBroken(read) ? [] : [{ name, read }];
}

export const isBroken = ({ diagnosticsFor }: ReadJson): boolean =>
  diagnosticsFor("json").some(({ severity }) => severity === "error");

function textOf(word: ShellWord | undefined, start = 0): Text | null {
  const pieces: ShellWord["pieces"] = word?.pieces ?? [];
  const all = joined(pieces);
  if (!all.text.startsWith("{", start) || /^\$\{cdr_unknown\w*\}/.test(all.text)) return null;
  const [first, ...rest] = pieces;
  return start === 0 || first === undefined ? all : joined([cut(first, start, first.text?.length ?? start), ...rest]);
}
