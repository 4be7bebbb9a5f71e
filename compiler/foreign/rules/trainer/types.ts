/** Values of the Trainer's options that are of another type than the option's. */
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import { pythonFloat, pythonInt } from "../../../engines/python-words.ts";
import type { Entry } from "../../documents/located.ts";
import { isMegatron } from "../../megatron.ts";
import { declares } from "../../programs.ts";
import { bare, type Told } from "../../settings.ts";
import { trainerBooleans, trainerIntegers, trainerNumbers, trainerValued } from "../../trainer/arguments.ts";
import { trainerReader, type TrainerReader } from "../../trainer/reader.ts";
import { isTrainer } from "../../trainer/settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { yaml } from "./trainer.ts";
import { isFilledIn, withQuotes } from "./value-text.ts";

const trues: ReadonlySet<string> = new Set(["yes", "true", "t", "y", "1"]);
const falses: ReadonlySet<string> = new Set(["no", "false", "f", "n", "0"]);

const switches = ["true", "false"];

/** What is wrong with a word of the command line, and what would do. */
function refusedWord(name: string, text: string): { readonly why: string; readonly valid: readonly string[] } | null {
  if (trainerIntegers.has(name)) {
    if (pythonInt(text) !== undefined) return null;
    const number = pythonFloat(text);
    return {
      why: `takes a whole number in digits, not ${text}`,
      valid: number !== undefined && Number.isInteger(number) ? [String(number)] : [],
    };
  }
  if (trainerNumbers.has(name))
    return pythonFloat(text) === undefined ? { why: `takes a number, not ${text}`, valid: [] } : null;
  return trues.has(text.toLowerCase()) || falses.has(text.toLowerCase())
    ? null
    : { why: `takes true or false, not ${text}`, valid: switches };
}

const isTyped = (name: string): boolean => trainerNumbers.has(name) || trainerBooleans.has(name);

function ofLine({ name: written, nameSpan, value, span, known }: Told): readonly Found[] {
  const name = bare(written);
  if (!known) return [];
  if (value === true)
    return !trainerValued.has(name)
      ? []
      : [
          {
            span: nameSpan,
            // A program with a parser of its own may take the name for a switch.
            ...(trainerNumbers.has(name) ? {} : { severity: "warning" as const }),
            message: `--${name} needs a value`,
            valid: trainerBooleans.has(name) ? switches : [],
          },
        ];
  if (typeof value !== "string" || !isTyped(name) || isFilledIn(value)) return [];
  const wrong = refusedWord(name, value);
  return wrong === null ? [] : [{ span, message: `--${name} ${wrong.why}`, valid: wrong.valid }];
}

/** Whole numbers of which a number with a point is taken: nothing counts with them. */
const forgiving: ReadonlySet<string> = new Set([
  ...["eval_accumulation_steps", "save_total_limit", "ddp_bucket_cap_mb", "ddp_timeout", "local_rank"],
]);

function ofFile({ key, keySpan, value }: Entry, reader: TrainerReader | null): readonly Found[] {
  const name = bare(key);
  if (!isTyped(name)) return [];
  const isSwitch = trainerBooleans.has(name);
  switch (value.kind) {
    case "unknown":
      return [];
    case "map":
    case "list": {
      const kind = value.kind === "map" ? "a section" : "a list";
      return [{ span: keySpan, message: `${key} is ${kind}, not ${isSwitch ? "true or false" : "a number"}` }];
    }
    case "scalar":
      if (isSwitch) return typeof value.value === "string" ? asSwitch(key, value.value, value.span, reader) : [];
      if (!trainerIntegers.has(name) || forgiving.has(name)) return [];
      // `1e3` is text to most who read YAML.
      return typeof value.value === "string" && reader?.exponents !== true ? [] : asCount(key, value.span);
  }
}

function asSwitch(key: string, text: string, inside: Span, reader: TrainerReader | null): readonly Found[] {
  const word = text.toLowerCase();
  if (word === "" || isFilledIn(text) || trues.has(word)) return [];
  const isFalse = falses.has(word);
  const isParsed = reader?.converts === "argparse";
  if (isFalse && isParsed) return [];
  const span = withQuotes(inside);
  return [
    {
      span,
      // Whoever hands the file to argparse reads the word as it is meant.
      ...(isFalse && reader === null ? { severity: "warning" as const } : {}),
      message: `${key} is the text "${text}", ${isParsed ? "but it takes true or false" : "which counts as true, as any text does"}`,
      valid: switches,
      ...(isFalse ? { fixes: [replacement(span, "false")] } : {}),
    },
  ];
}

function asCount(key: string, span: Span): readonly Found[] {
  const written = span.source.text.slice(span.start, span.end);
  const number = pythonFloat(written);
  if (number === undefined || !/[.eE]/.test(written)) return [];
  const right = Number.isInteger(number) ? [String(number)] : [];
  return [
    {
      span,
      message: `${key} is ${written}, but it takes a whole number in digits`,
      valid: right,
      fixes: right.map((each) => replacement(span, each)),
    },
  ];
}

export const trainerTypeRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-type",
    source: "transformers/hf_argparser.py: HfArgumentParser._parse_dataclass_field, string_to_bool, parse_dict",
    why:
      "On the command line each word goes through Python's int() or float(), or must be one of yes, true, t, y, 1 and no, false, f, n, 0; any other stops the program. " +
      "Values in a file are used as they are: the data loader and the step loops need whole numbers without a point, and every text, even `\"false\"`, counts as true.",
    fix: "Write a value of the option's type: 4, not 4.0; false, without quotes in a file.",
    check: (launch) => [
      ...launch.runs
        .filter((run) => !isMegatron(run) && isTrainer(run))
        .flatMap((run) =>
          [...run.options.values()].flatMap((told) => {
            const found = ofLine(told);
            return found.length > 0 && declares(bare(told.name), run, launch) ? [] : found;
          }),
        ),
      ...launch.documents
        .filter(({ kind }) => kind === "training-arguments" || kind === "llama-factory")
        .flatMap((document) =>
          document.root.kind === "map"
            ? document.root.entries.flatMap((entry) => ofFile(entry, trainerReader(document, launch)))
            : [],
        ),
    ],
    fires: { "args.yaml": yaml("gradient_accumulation_steps: 4.0\n") },
    silent: { "args.yaml": yaml("gradient_accumulation_steps: 4\n") },
  }),
];
