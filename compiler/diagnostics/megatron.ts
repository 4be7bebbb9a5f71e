/** What Megatron's parser refuses, or passes over in silence. What its validators demand stands with each rule. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const megatronUnrecognized = define<{
  argument: string;
  nearest: string | null;
  version: string;
  /** When it came or went, where another version has it. */
  history: string | null;
}>({
  code: "cdr/megatron-unrecognized",
  severity: "error",
  message: ({ argument, nearest, version, history }) =>
    history === null
      ? `Megatron has no argument ${argument}${nearest === null ? "" : `; did you mean ${nearest}?`}`
      : `Megatron ${version} has no argument ${argument}: ${history}`,
  explanation:
    "Megatron's parser knows no abbreviations, no underscores for hyphens, and takes no words of its own: what it does not know " +
    "stops the launch with a usage text. Arguments come and go between versions; examples on the web often hold removed ones. Files of an older " +
    "Megatron are judged by it where they name it, or with `--engine megatron=0.15`.",
  fix: "Write the argument that is meant, in full and with hyphens, or remove it.",
});

export const megatronOther = define<{ names: readonly string[]; more: number }>({
  code: "cdr/megatron-other",
  severity: "warning",
  message: ({ names, more }) =>
    `this is another Megatron than any release: none takes ${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}; its arguments are not judged`,
  explanation:
    "Forks of Megatron have arguments and programs of their own under the names of Megatron's programs. Where several arguments belong to no " +
    "release and are no slip of one, the rules of the releases say nothing of the launch. Megatron itself stops at each of these arguments.",
  fix: "Check the arguments against the fork's own parser; for Megatron itself write its arguments, in full and with hyphens.",
});

export const megatronValueCount = define<{ argument: string; expected: string }>({
  code: "cdr/megatron-value-count",
  severity: "error",
  message: ({ argument, expected }) => `${argument} takes ${expected}`,
  explanation:
    "A negative number in scientific notation (-1e-5) looks like an argument to Python's parser: write it as --name=-1e-5. " +
    "A switch takes no value: its name alone turns it on.",
  fix: "Give as many values as the message names; write a negative number as `--name=-1e-5`.",
});

export const megatronValueType = define<{ argument: string; value: string; expected: string }>({
  code: "cdr/megatron-value-type",
  severity: "error",
  message: ({ argument, value, expected }) => `${argument} ${value}: the value is ${expected}`,
  explanation:
    "Whole numbers are written in digits: 4096, not 4k, 1e5, 24.0 or 100,000. The parser stops at the first word that it cannot turn " +
    "into the argument's type.",
  fix: "Write a value of the type that the message names, whole numbers in digits.",
});

export const megatronValueChoice = define<{ argument: string; value: string; nearest: string | null }>({
  code: "cdr/megatron-value-choice",
  severity: "error",
  message: ({ argument, value, nearest }) =>
    `${argument} has no choice ${value}${nearest === null ? "" : `; did you mean ${nearest}?`}`,
  explanation: "The choices of an argument are fixed words, in the spelling and case that the parser lists.",
  fix: "Write one of the choices that `valid` lists.",
});

export const megatronRepeated = define<{ argument: string }>({
  code: "cdr/megatron-repeated",
  severity: "warning",
  message: ({ argument }) => `${argument} is given twice; the last one counts`,
  explanation:
    "Python's parser takes the last of several values without a word. In a script that adds arguments to a shared list the first one " +
    "is often believed to hold.",
  fix: "Remove the one that does not hold.",
});
