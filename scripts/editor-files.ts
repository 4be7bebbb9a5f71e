/**
 * Writes what editors read of the language without a server: the TextMate grammar, the language configuration and the snippets, from
 * the lexer's vocabulary and the descriptors. `node scripts/editor-files.ts` writes them; a test holds them to be current.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { registry } from "../compiler/kinds/index.ts";
import { fileMembers } from "../dsl/lsp/completion/members.ts";
import { lexed } from "../dsl/lexer/vocabulary.ts";
import { clauseWords, infixWords, statementWords, valueWords } from "../dsl/syntax/words.ts";
import { builtins } from "../dsl/eval/expressions/builtins.ts";
import { namedTypes } from "../dsl/eval/declarations/type-expression.ts";
import { scales, units } from "../dsl/types/units.ts";
import type { Module } from "../dsl/symbols/symbol.ts";

/** Files of `editor/` by their path. */
export function editorFiles(): ReadonlyMap<string, string> {
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return new Map([
    ["syntaxes/cdr.tmLanguage.json", json(grammar())],
    ["language-configuration.json", json(configuration())],
    ["snippets/cdr.json", json(snippets())],
  ]);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
/** Longer words first: a regular expression takes the first that fits. */
const oneOf = (words: Iterable<string>): string =>
  [...words]
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map(escaped)
    .join("|");
/** A word that is no name here: not before `=` or `:`, not after a dot. */
const word = (words: Iterable<string>): string => `(?<![\\w.])(?:${oneOf(words)})\\b(?!\\s*[=:](?![=>]))`;

const name = "[A-Za-z_][A-Za-z0-9_]*";
/** What stands behind these is a condition. */
const judging = new Set(["assert", "expect"]);
const naming = [...statementWords.keys()].filter((each) => !judging.has(each));

function grammar() {
  const brackets = new Set(["{", "}", "(", ")", "[", "]", ",", "."]);
  const operators = lexed.flatMap(({ PATTERN }) =>
    typeof PATTERN === "string" && !brackets.has(PATTERN) ? [PATTERN] : [],
  );
  const unitWords = [...units.keys()].filter((unit) => unit !== "%");
  return {
    $schema: "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
    name: "cdr",
    scopeName: "source.cdr",
    fileTypes: ["cdr"],
    patterns: [{ include: "#statement" }, { include: "#value" }],
    repository: {
      statement: {
        patterns: [
          { include: "#comment" },
          {
            match: `^\\s*(?:(abstract)\\s+)?(?!(?:${oneOf([...statementWords.keys()])})\\b)(${name})\\s+(${name})(?=\\s*(?:\\{|$|\\b(?:${oneOf(clauseWords.keys())})\\b))`,
            captures: {
              1: { name: "storage.modifier.cdr" },
              2: { name: "storage.type.block.cdr" },
              3: { name: "entity.name.type.block.cdr" },
            },
          },
          {
            match: `(?:^|(?<=[{,]))\\s*(${oneOf(naming)})\\s+(${name})`,
            captures: { 1: { name: "keyword.other.declaration.cdr" }, 2: { name: "entity.name.variable.cdr" } },
          },
          { match: word(Object.keys(namedTypes)), name: "support.type.cdr" },
          {
            match: `(?<![\\w.])(for)\\s+(${name})\\s+(in)\\b`,
            captures: {
              1: { name: "keyword.operator.word.cdr" },
              2: { name: "entity.name.variable.cdr" },
              3: { name: "keyword.operator.word.cdr" },
            },
          },
          {
            match: `(?:^|(?<=[{,]))\\s*(${oneOf(statementWords.keys())})(?!\\s*[=:.])(?=\\s)`,
            captures: { 1: { name: "keyword.other.declaration.cdr" } },
          },
          {
            match: `(?:^|(?<=[{,]))\\s*(${name}(?:\\.${name})*)(?=\\s*\\{)`,
            captures: { 1: { name: "storage.type.group.cdr" } },
          },
          {
            match: `(${name}(?:\\.${name})*)(?=\\s*(?:=(?![=>])|<=|>=|\\bin\\b))`,
            captures: { 1: { name: "variable.other.property.cdr" } },
          },
          { match: word(clauseWords.keys()), name: "keyword.other.clause.cdr" },
        ],
      },
      value: {
        patterns: [
          { include: "#comment" },
          { include: "#string" },
          { include: "#number" },
          { match: word(valueWords.keys()), name: "constant.language.cdr" },
          { match: word([...infixWords.keys(), "not", "match", "as"]), name: "keyword.operator.word.cdr" },
          { match: `(?<!\\.)\\b(?:${oneOf(builtins.keys())})(?=\\()`, name: "support.function.cdr" },
          { match: `${name}(?=\\()`, name: "entity.name.function.cdr" },
          { match: oneOf(operators), name: "keyword.operator.cdr" },
        ],
      },
      comment: {
        patterns: [
          { match: "///(?!/).*$", name: "comment.line.documentation.cdr" },
          { match: "//.*$", name: "comment.line.double-slash.cdr" },
          { match: "#.*$", name: "comment.line.number-sign.cdr" },
        ],
      },
      string: {
        patterns: [
          { begin: '"""', end: '"""', name: "string.quoted.triple.cdr", patterns: [{ include: "#inside" }] },
          { begin: '"', end: '"|$', name: "string.quoted.double.cdr", patterns: [{ include: "#inside" }] },
        ],
      },
      inside: {
        patterns: [
          {
            match: '\\\\(?:[ntr0\\\\"$]|u[0-9A-Fa-f]{4}|u\\{[0-9A-Fa-f]+\\})',
            name: "constant.character.escape.cdr",
          },
          {
            begin: "\\$\\{",
            end: "\\}",
            name: "meta.interpolation.cdr",
            beginCaptures: { 0: { name: "punctuation.section.interpolation.begin.cdr" } },
            endCaptures: { 0: { name: "punctuation.section.interpolation.end.cdr" } },
            patterns: [{ include: "#braces" }, { include: "#value" }],
          },
        ],
      },
      // A record inside an interpolation: its `}` does not end it.
      braces: { begin: "\\{", end: "\\}", patterns: [{ include: "#braces" }, { include: "#value" }] },
      number: {
        match: `(?:(?<=\\.\\.)|(?<![\\w.]))(\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][+-]?\\d+)?)(${oneOf(Object.keys(scales))}|%)?(?:[ \\t]+((?:${oneOf(unitWords)})(?:\\/(?:${oneOf(unitWords)}))*)\\b)?`,
        captures: {
          1: { name: "constant.numeric.cdr" },
          2: { name: "constant.numeric.scale.cdr" },
          3: { name: "keyword.other.unit.cdr" },
        },
      },
    },
  };
}

function configuration() {
  const pairs = [
    ["{", "}"],
    ["[", "]"],
    ["(", ")"],
  ];
  return {
    comments: { lineComment: "//" },
    brackets: pairs,
    autoClosingPairs: [
      ...pairs.map(([open, close]) => ({ open, close })),
      { open: '"', close: '"', notIn: ["string", "comment"] },
    ],
    surroundingPairs: [...pairs, ['"', '"']],
    wordPattern: name,
    indentationRules: { increaseIndentPattern: "[{(\\[]\\s*$", decreaseIndentPattern: "^\\s*[})\\]]" },
    onEnterRules: [{ beforeText: "^\\s*///", action: { indent: "none", appendText: "/// " } }],
    folding: { markers: { start: "^\\s*//\\s*#region\\b", end: "^\\s*//\\s*#endregion\\b" } },
  };
}

/** What completion offers at the top of an empty file. */
function snippets() {
  const source = { path: "", text: "" };
  const module: Module = {
    path: "",
    file: { kind: "file", source, doc: null, statements: [] },
    names: new Map(),
    amendments: [],
  };
  const items = fileMembers({ module, registry, snippets: true, owner: null, self: null, locals: [] }).filter(
    (item) => item.insertTextFormat === 2,
  );
  return Object.fromEntries(
    items.map(({ label, insertText, documentation }) => [
      label,
      {
        prefix: label,
        body: (insertText ?? label).split("\n"),
        description: typeof documentation === "object" ? documentation.value : `declare: ${label}`,
      },
    ]),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(import.meta.dirname, "../editor");
  for (const [path, text] of editorFiles()) writeFileSync(join(folder, path), text);
}
