/** Names that are nearly those of the Trainer's options. */
import { distance } from "fastest-levenshtein";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import type { Launch } from "../../launch.ts";
import { entryOf } from "../../documents/located.ts";
import { isMegatron } from "../../megatron.ts";
import { bare } from "../../settings.ts";
import { earlierTrainerArguments, trainerArguments } from "../../trainer/arguments.ts";
import { isTrainer } from "../../trainer/settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { yaml } from "./trainer.ts";

const known: ReadonlySet<string> = new Set([...trainerArguments, ...earlierTrainerArguments]);

/** Two letters make another word of a short name: `use_cpu` and `use_gpu`, `fp16` and `fp8`. */
const shortest = 10;

function meant(name: string): string | null {
  if (known.has(name) || known.has(name.replace(/^no_/, "")) || name.includes(".")) return null;
  const ours = plain(name);
  const near = plainArguments
    .filter(({ theirs }) => Math.abs(theirs.length - ours.length) <= 2)
    .map(({ each, theirs }) => ({ each, apart: distance(theirs, ours) }))
    .filter(({ each, apart }) => apart === 0 || (each.length >= shortest && apart <= 2 && !isAnother(name, each)))
    .toSorted((a, b) => a.apart - b.apart);
  return near[0]?.each ?? null;
}

const plain = (name: string): string => name.replaceAll("_", "").toLowerCase();

const plainArguments = trainerArguments.map((each) => ({ each, theirs: plain(each) }));

/** `vf_learning_rate`, `adam_beta3`, `min_grad_norm` and `lora_rank` are names of their own. */
function isAnother(name: string, option: string): boolean {
  if (name.startsWith(`${option}_`) || name.endsWith(`_${option}`)) return true;
  if (name.replaceAll(/\d/g, "") === option.replaceAll(/\d/g, "")) return true;
  const [ours, theirs] = [name.split("_"), option.split("_")];
  return ours.length === theirs.length && ours.some((word, at) => isOtherWord(word, theirs[at] ?? ""));
}

/** Short words that share little are no misspelling of each other; a plural is. */
const isOtherWord = (ours: string, theirs: string): boolean =>
  ours !== theirs &&
  (ours.length < 4 || (ours.length === 4 && !theirs.startsWith(ours) && distance(ours, theirs) > 1));

/** argparse takes the beginning of a name for the name. */
const begins = (name: string): boolean => trainerArguments.some((each) => each.startsWith(name));

/** The command line of `trl` takes it for itself. Source: trl/cli. */
const ofTrl = "accelerate_config";

function misspelt(written: string, span: Span, given: (name: string) => boolean): readonly Found[] {
  const right = meant(bare(written));
  if (right === null || given(right)) return [];
  const dashes = /^-*/.exec(written)?.[0] ?? "";
  const start = span.start + Math.max(0, span.source.text.slice(span.start, span.end).indexOf(written));
  const name = { ...span, start: start + dashes.length, end: start + written.length };
  return [
    {
      span: name,
      message: `${written} is no option of the Trainer: ${right} is`,
      valid: [right],
      fixes: [replacement(name, right)],
    },
  ];
}

export const trainerNameRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-name",
    severity: "warning",
    source: "transformers/hf_argparser.py: HfArgumentParser.parse_args_into_dataclasses, parse_dict",
    why:
      "A program that reads TrainingArguments refuses a name that none of its classes has, or leaves it unread, and the default counts. " +
      "A program may have options of its own: one that is nearly an option of the Trainer is most often that option, misspelt.",
    fix: "Write the Trainer's name, which the message says; an option of the program's own may stay as it is.",
    check: (launch: Launch) => {
      const files = launch.documents
        .filter(({ kind }) => kind === "training-arguments" || kind === "llama-factory")
        .flatMap(({ root }) =>
          root.kind !== "map"
            ? []
            : root.entries.flatMap(({ key, keySpan }) =>
                misspelt(key, keySpan, (name) => entryOf(root, name) !== undefined),
              ),
        );
      const lines = launch.runs
        .filter((run) => !isMegatron(run) && isTrainer(run))
        .flatMap(({ options }) =>
          [...options]
            .filter(([name]) => !begins(name) && name !== ofTrl)
            .flatMap(([, { name, nameSpan }]) => misspelt(name, nameSpan, (each) => options.has(each))),
        );
      return [...files, ...lines];
    },
    fires: { "args.yaml": yaml("gradient_accumulation_step: 2\n") },
    silent: { "args.yaml": yaml("gradient_accumulation_steps: 2\n") },
  }),
];
