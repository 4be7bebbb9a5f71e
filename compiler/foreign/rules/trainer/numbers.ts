/** Numbers of the Trainer's options that reach it as text. */
import type { Document, Launch } from "../../launch.ts";
import type { Entry } from "../../documents/located.ts";
import { trainerArguments, trainerNumbers } from "../../trainer/arguments.ts";
import { trainerReader } from "../../trainer/reader.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { yaml } from "./trainer.ts";
import { isFilledIn, withQuotes } from "./value-text.ts";

const number = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/** As YAML 1.1 and JSON both read it: with a point and a sign where there is an exponent. */
export function asNumber(text: string): string {
  const [mantissa = "", exponent] = text.toLowerCase().split("e");
  if (exponent === undefined) return mantissa;
  return `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}e${/^[-+]/.test(exponent) ? exponent : `+${exponent}`}`;
}

const own: ReadonlySet<string> = new Set(trainerArguments);

/** A file with names of a program's own may be TRL's, whose `--config` reads text as numbers. */
const isOnlyTrainer = ({ root }: Document): boolean =>
  root.kind === "map" && root.entries.every(({ key }) => own.has(key));

function textOf(document: Document, { key, value }: Entry, launch: Launch): readonly Found[] {
  if (value.kind !== "scalar" || typeof value.value !== "string") return [];
  if (!trainerNumbers.has(key) || isFilledIn(value.value)) return [];
  const { source, start, end } = value.span;
  const quoted = /^["']/.test(source.text.slice(start, end)) || /["']/.test(source.text[start - 1] ?? "");
  const span = withQuotes(value.span);
  if (!number.test(value.value)) return [{ span, message: `${key} is the text "${value.value}", not a number` }];
  const reader = trainerReader(document, launch);
  if (reader?.converts === "argparse" || (reader?.exponents === true && !quoted)) return [];
  const right = asNumber(value.value);
  const why = quoted ? "in quotes it is text" : `Python's YAML needs ${right}`;
  const isSure = reader !== null || isOnlyTrainer(document);
  return [
    {
      span,
      severity: isSure ? "error" : "warning",
      message: `${key} is the text "${value.value}", not a number: ${why}${isSure ? "" : ", and only a program that passes it to argparse, as TRL's --config does, reads a number"}`,
      valid: [right],
      fixes: [{ title: `write ${right}`, edits: [{ span, newText: right }] }],
    },
  ];
}

export const trainerNumberRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-number-text",
    source: "transformers/hf_argparser.py: HfArgumentParser.parse_yaml_file, parse_json_file, parse_dict",
    why:
      "These readers put the values in the file into TrainingArguments as they are. Python's YAML reads `1e-5`, without a point, as text, like everything in quotes: " +
      "the optimizer or the data loader then compares text with numbers and stops (`'<=' not supported between instances of 'float' and 'str'`). " +
      "LLaMA-Factory reads `1e-5` as a number since 0.9.4, and Axolotl and TRL's `--config` always do.",
    fix: "Write the number without quotes, with a point and a sign in its exponent: 1.0e-5.",
    check: (launch) =>
      launch.documents
        .filter(({ kind }) => kind === "training-arguments" || kind === "llama-factory")
        .flatMap((document) =>
          document.root.kind === "map"
            ? document.root.entries.flatMap((entry) => textOf(document, entry, launch))
            : [],
        ),
    fires: { "args.yaml": yaml("learning_rate: 1e-5\n"), "run.sh": "torchrun train.py args.yaml\n" },
    silent: { "args.yaml": yaml("learning_rate: 1e-5\n"), "run.sh": "torchrun sft.py --config args.yaml\n" },
  }),
];
