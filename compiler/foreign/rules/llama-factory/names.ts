/** Names that LLaMA-Factory does not have. */
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { removal, replacement } from "../../../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import { documentsOf, type Launch, type Run } from "../../launch.ts";
import { earlierFactoryArguments, factoryArguments, factorySince } from "../../trainer/llama-factory-arguments.ts";
import { entryOf } from "../../documents/located.ts";
import { packagesOf } from "../../known/packages.ts";
import { earlierTrainerArguments, trainerArguments } from "../../trainer/arguments.ts";
import { below } from "../../../engines/release.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

const file =
  "model_name_or_path: m\nstage: sft\nfinetuning_type: lora\ntemplate: default\noutput_dir: out\ndataset: d\n";
const trainer = new Set(trainerArguments);

/** Programs of releases that had other names. */
const earlierProgram = /(?:^|\/)(?:train_bash|train_sft|train_pt|train_rm|train_ppo|finetune)\.py$/;

function unknown(key: string, span: Span): readonly Found[] {
  if (factoryArguments.has(key) || trainer.has(key) || earlierTrainerArguments.has(key)) return [];
  // The Trainer had it before it read fsdp_config, and may have it yet.
  if (key.startsWith("fsdp_")) return [];
  const now = earlierFactoryArguments.get(key);
  if (now === null) return [{ span, message: `LLaMA-Factory no longer has ${key}` }];
  const meant = now ?? nearest(key, [...factoryArguments]);
  return [
    {
      span,
      message: `LLaMA-Factory has no argument ${key}${now === undefined ? "" : `: it is now ${now}`}`,
      ...(meant === null ? {} : { valid: [meant], fixes: [replacement(span, meant)] }),
    },
  ];
}

/** argparse takes `--no_x` and the beginning of a name, too. */
const begins = (key: string): boolean =>
  key.startsWith("no_") || [...factoryArguments, ...trainer].some((each) => each.startsWith(key));

/** A command of a release whose arguments are listed. */
export const isFactory = ({ options, program }: Run): boolean =>
  !earlierProgram.test(program?.text ?? "") &&
  ["stage", "finetuning_type", "template"].every((name) => options.has(name));

function unknownIn(run: Run): readonly Found[] {
  if (!isFactory(run)) return [];
  return [...run.options]
    .filter(([key]) => !begins(key))
    .flatMap(([key, { name, nameSpan }]) => {
      const dashes = /^-*/.exec(name)?.[0].length ?? 0;
      const start = nameSpan.start + dashes;
      return unknown(key, { ...nameSpan, start, end: start + name.length - dashes });
    });
}

/** The release whose arguments are listed: what an older one had besides is told as gone. */
const listed = "0.9.2";

/** Names that came with a later release than the one that is installed. */
function tooEarly({ trainer }: Launch, version: string): readonly Found[] {
  if (trainer?.has("finetuning_type") !== true) return [];
  return [...factorySince].flatMap(([name, since]): readonly Found[] => {
    const told = trainer.get(name);
    return told === undefined || !below(version, since)
      ? []
      : [
          {
            span: told.nameSpan,
            severity: "error",
            message: `LLaMA-Factory ${version} has no ${name} yet: it came with ${since}`,
          },
        ];
  });
}

/** What stands between the program and its first option, and is no file of options. */
function strays({ launcher, options, args, program }: Run): readonly Found[] {
  const [first] = args;
  if (
    launcher.kind === "other" ||
    first?.text == null ||
    !["stage", "finetuning_type"].every((name) => options.has(name))
  )
    return [];
  if (/^-|=|\.(?:ya?ml|json)$/.test(first.text) || first.from.length > 0) return [];
  return [
    {
      span: first.span,
      message: `${first.text} belongs to no option of ${program?.text ?? "the program"}`,
      fixes: [removal(first.span)],
    },
  ];
}

export const llamaFactoryNameRules: readonly ForeignRule[] = [
  rule({
    name: "llama-factory-word",
    source:
      "llamafactory/hparams/parser.py: _parse_args (`Some specified arguments are not used by the HfArgumentParser`)",
    why: "LLaMA-Factory stops at a word that is neither an option nor the value of one, such as a program that is named twice.",
    fix: "Remove the word.",
    check: ({ runs }) => runs.flatMap(strays),
    fires: {
      "run.sh":
        "torchrun --nproc-per-node=2 src/train.py src/train.py --stage sft --finetuning_type lora --template default --output_dir out\n",
    },
    silent: {
      "run.sh":
        "torchrun --nproc-per-node=2 src/train.py --stage sft --finetuning_type lora --template default --output_dir out\n",
    },
  }),
  rule({
    name: "llama-factory-name",
    severity: "warning",
    source:
      "llamafactory/hparams/parser.py: _parse_args; transformers/hf_argparser.py: HfArgumentParser.parse_dict, parse_args_into_dataclasses",
    why: "LLaMA-Factory refuses a file with a name that none of its classes has: `Some keys are not used by the HfArgumentParser`. Names changed between releases.",
    fix: "Write the name that the message gives, or install the release that the file was written for.",
    check: (launch) => {
      const version = packagesOf(launch).get("llamafactory")?.version ?? null;
      const early = version === null ? [] : tooEarly(launch, version);
      if (version !== null && below(version, listed)) return early;
      const files = documentsOf(launch, "llama-factory").flatMap(({ root }): readonly Found[] => {
        // Other programs read a few of the same names.
        if (root.kind !== "map" || !entryOf(root, "finetuning_type") || !entryOf(root, "template")) return [];
        return root.entries.flatMap(({ key, keySpan }) => unknown(key, keySpan));
      });
      return [...early, ...files, ...launch.runs.flatMap(unknownIn)];
    },
    fires: { "sft.yaml": `${file}image_resolution: 262144\n` },
    silent: { "sft.yaml": `${file}image_max_pixels: 262144\n` },
  }),
];
