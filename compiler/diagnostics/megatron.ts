/** What Megatron's parser refuses or silently accepts. The demands of its validators are with the rules. */
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
    "Megatron's parser accepts no abbreviations, no underscores instead of hyphens, and no positional words: anything unknown " +
    "stops the launch with a usage message. Arguments change between versions; examples on the web often contain removed ones. Files of an older " +
    "Megatron are checked against it if they name it, or with `--engine megatron=0.15`.",
  fix: "Correct the argument, in full and with hyphens, or remove it.",
});

export const megatronOther = define<{ names: readonly string[]; more: number }>({
  code: "cdr/megatron-other",
  severity: "warning",
  message: ({ names, more }) =>
    `this looks like a fork of Megatron: no release has ${names.join(", ")}${more === 0 ? "" : ` or ${more} more of its arguments`}; its arguments are not checked`,
  explanation:
    "Forks of Megatron add arguments to programs that keep Megatron's names. If several arguments belong to no " +
    "release and are not misspelt either, the rules of the releases do not apply. Megatron itself would stop at each of them.",
  fix: "Check the arguments against the fork's own parser; for Megatron itself, write its arguments in full and with hyphens.",
});

export const megatronValueCount = define<{ argument: string; expected: string }>({
  code: "cdr/megatron-value-count",
  severity: "error",
  message: ({ argument, expected }) => `${argument} takes ${expected}`,
  explanation:
    "A negative number in scientific notation (-1e-5) looks like an argument to Python's parser: write it as --name=-1e-5. " +
    "A switch takes no value: its name alone turns it on.",
  fix: "Give the number of values in the message; write a negative number as `--name=-1e-5`.",
});

export const megatronValueType = define<{ argument: string; value: string; expected: string }>({
  code: "cdr/megatron-value-type",
  severity: "error",
  message: ({ argument, value, expected }) => `${argument} ${value}: the value must be ${expected}`,
  explanation:
    "Whole numbers are written in digits: 4096, not 4k, 1e5, 24.0 or 100,000. The parser stops at the first value that it cannot convert " +
    "to the argument's type.",
  fix: "Write a value of the type in the message, and whole numbers in digits.",
});

export const megatronValueChoice = define<{ argument: string; value: string; nearest: string | null }>({
  code: "cdr/megatron-value-choice",
  severity: "error",
  message: ({ argument, value, nearest }) =>
    `${argument} has no choice ${value}${nearest === null ? "" : `; did you mean ${nearest}?`}`,
  explanation: "The choices of an argument are fixed words, with fixed spelling and case.",
  fix: "Write one of the choices that `valid` lists.",
});

export const megatronRepeated = define<{ argument: string }>({
  code: "cdr/megatron-repeated",
  severity: "warning",
  message: ({ argument }) => `${argument} is given twice; the last one counts`,
  explanation:
    "Python's parser silently takes the last of several values. In a script that adds arguments to a shared list, it is easy to " +
    "overlook the later one.",
  fix: "Remove the one that should not count.",
});
