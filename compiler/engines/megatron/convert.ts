import { pythonFloat, pythonInt } from "../python-words.ts";
import type { Word } from "../word.ts";
import { unknown } from "./unknown.ts";
import { listExpression } from "./list-expression.ts";
import type { Argument } from "./table.ts";

/** A word that the argument's type or its choices refuse. */
export type Wrong =
  | { readonly kind: "type"; readonly word: Word; readonly expected: string }
  | { readonly kind: "choice"; readonly word: Word; readonly choices: readonly string[] };

/** A type of the parser: how Python turns a word into a value, and how people call it. `undefined` is a refusal. */
interface Conversion {
  readonly named: string;
  readonly convert: (text: string) => unknown;
  /** The one word that says a list, where the type has one. */
  readonly joined?: (items: readonly string[]) => string;
}

const integer: Conversion = { named: "a whole number in digits", convert: pythonInt };
const float: Conversion = { named: "a number", convert: pythonFloat };
const frequency: Conversion = {
  named: "a whole number, or a list such as ([0]*3+[1])*4",
  convert: (text) => (text.includes("[") ? listExpression(text) : integer.convert(text)),
  joined: (items) => `[${items.join(",")}]`,
};

/** Modules that a CUDA graph captures, and the old words for whole layers and whole steps. */
const graphModules = [
  ...["attn", "mlp", "moe", "moe_router", "moe_preprocess", "mamba"],
  ...["full", "full_iteration", "full_iteration_inference"],
];

const conversions: Readonly<Record<string, Conversion>> = {
  int: integer,
  float,
  moe_freq_type: frequency,
  no_rope_freq_type: frequency,
  la_freq_type: frequency,
  tuple_type: {
    named: "whole numbers with commas between them",
    convert: (text) => {
      const items = text
        .replaceAll(/^[()]+|[()]+$/g, "")
        .split(",")
        .map(integer.convert);
      return items.includes(undefined) ? undefined : items;
    },
    joined: (items) => items.join(","),
  },
  _parse_cuda_graph_modules_arg: {
    named: `one of ${graphModules.join(", ")}`,
    convert: (text) => (graphModules.includes(text) ? text : undefined),
  },
  // Python's bool("False") is True: only an empty word is false.
  bool: { named: "a word", convert: (text) => text !== "" },
};
const plainText: Conversion = { named: "a word", convert: (text) => text };

/** The words that say a list: one for each item, or one for all where the argument's type is a list. */
export function wordsForList({ type, nargs }: Argument, items: readonly string[]): readonly string[] {
  const { joined } = conversions[type ?? ""] ?? plainText;
  return nargs === undefined && joined !== undefined ? [joined(items)] : items;
}

/** The value of an argument from its words, and each word that its type or its choices refuse. */
export function converted(
  argument: Argument,
  name: string,
  words: readonly Word[],
): { readonly value: unknown; readonly wrong: readonly Wrong[] } {
  if (argument.action === "boolean_optional") return { value: !name.startsWith("--no-"), wrong: [] };
  if (argument.action !== undefined) return { value: argument.action === "store_true", wrong: [] };
  const { named, convert } = conversions[argument.type ?? ""] ?? plainText;
  const wrong: Wrong[] = [];
  const values = words.map((word) => {
    if (word.text === null) return unknown;
    const value = convert(word.text);
    if (value === undefined) wrong.push({ kind: "type", word, expected: named });
    else if (argument.choices !== undefined && !argument.choices.includes(value as string | number))
      wrong.push({ kind: "choice", word, choices: argument.choices.map(String) });
    else return value;
    return unknown;
  });
  if (argument.nargs === undefined || argument.nargs === "?") return { value: values[0] ?? null, wrong };
  return { value: values.includes(unknown) ? unknown : values, wrong };
}
