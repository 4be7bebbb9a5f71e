/** Names that are nearly those of the Trainer's options. */
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import type { Launch } from "../../launch.ts";
import { entryOf } from "../../documents/located.ts";
import { isMegatron } from "../../megatron.ts";
import { bare } from "../../settings.ts";
import { earlierTrainerArguments, trainerArguments } from "../../trainer/arguments.ts";
import { isTrainer } from "../../trainer/settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { plainNames, slipOf } from "../slips.ts";
import { yaml } from "./trainer.ts";

const known: ReadonlySet<string> = new Set([...trainerArguments, ...earlierTrainerArguments]);

function meant(name: string): string | null {
  if (known.has(name) || known.has(name.replace(/^no_/, "")) || name.includes(".")) return null;
  return slipOf(name, plainArguments);
}

const plainArguments = plainNames(trainerArguments);

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
      message: `${written} is not an option of the Trainer: ${right} is`,
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
      "A program that reads TrainingArguments refuses a name that none of its classes has, or ignores it and uses the default. " +
      "A program may have options of its own, but one that is nearly an option of the Trainer is most often that option, misspelt.",
    fix: "Write the Trainer's name, which the message gives; an option of the program itself may stay as it is.",
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
