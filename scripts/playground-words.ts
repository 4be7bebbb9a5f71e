/** What the playground holds of the language: the words of the lexer, and the files of the standard library. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtins } from "../dsl/eval/expressions/builtins.ts";
import { namedTypes } from "../dsl/eval/declarations/type-expression.ts";
import { lexed } from "../dsl/lexer/vocabulary.ts";
import { clauseWords, infixWords, statementWords, valueWords } from "../dsl/syntax/words.ts";
import { scales, units } from "../dsl/types/units.ts";

const brackets = new Set(["{", "}", "(", ")", "[", "]"]);

export function vocabulary() {
  return {
    statements: [...statementWords.keys()],
    clauses: [...clauseWords.keys()],
    infix: [...infixWords.keys(), "not", "match", "as"],
    values: [...valueWords.keys()],
    builtins: [...builtins.keys()],
    types: Object.keys(namedTypes),
    units: [...units.keys()].filter((unit) => unit !== "%"),
    scales: Object.keys(scales),
    operators: lexed.flatMap(({ PATTERN }) =>
      typeof PATTERN === "string" && !brackets.has(PATTERN) ? [PATTERN] : [],
    ),
  };
}

/** Texts of `compiler/std/`, by their path in the package. */
export function standardFiles(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(join(root, "compiler/std")).filter((name) => name.endsWith(".cdr"));
  return Object.fromEntries(
    names.map((name) => [`compiler/std/${name}`, readFileSync(join(root, "compiler/std", name), "utf8")]),
  );
}
