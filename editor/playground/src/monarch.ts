/** Colours before the server has answered: a Monarch grammar from the lexer's words. */
import type { languages } from "monaco-editor/editor";

/** Words of the lexer, as `scripts/playground.mjs` reads them from it. */
export interface Vocabulary {
  readonly statements: readonly string[];
  readonly clauses: readonly string[];
  readonly infix: readonly string[];
  readonly values: readonly string[];
  readonly builtins: readonly string[];
  readonly types: readonly string[];
  readonly units: readonly string[];
  readonly scales: readonly string[];
  readonly operators: readonly string[];
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
/** Longer words first: a regular expression takes the first that fits. */
const oneOf = (words: readonly string[]): string =>
  [...words]
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map(escaped)
    .join("|");

export function monarch(words: Vocabulary): languages.IMonarchLanguage {
  const name = "[A-Za-z_][A-Za-z0-9_]*";
  const units = `(?:${oneOf(words.units)})`;
  const statements = oneOf(words.statements);
  const clauses = oneOf(words.clauses);
  const operators = new RegExp(oneOf(words.operators));
  return {
    defaultToken: "",
    tokenPostfix: "",
    includeLF: false,
    tokenizer: {
      root: [
        [/\/\/\/(?!\/).*$/, "comment.doc"],
        [/\/\/.*$/, "comment"],
        [/\/\*/, "comment", "@comment"],
        [/"""/, "string", "@text"],
        [/"/, "string", "@string"],
        [
          new RegExp(`^(\\s*)(?!(?:${statements})\\b)(${name})(\\s+)(${name})(?=\\s*(?:\\{|$|\\b(?:${clauses})\\b))`),
          ["", "keyword", "", "class"],
        ],
        [new RegExp(`^(\\s*)(${statements})(?=\\s+["A-Za-z_{(])`), ["", "keyword"]],
        [new RegExp(`^(\\s*)(${name})(?=\\s*\\{)`), ["", "keyword"]],
        [new RegExp(`(?:${name})(?:\\.${name})*\\b(?=\\s*(?:=(?![=>])|<=|>=|:(?!:)|in\\b))`), "property"],
        [new RegExp(`(?:${clauses})\\b`), "keyword"],
        [
          new RegExp(
            `(\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][+-]?\\d+)?)((?:${oneOf(words.scales)}|%)?)((?:[ \\t]+${units}(?:\\/${units})*\\b)?)`,
          ),
          ["number", "number", "unit"],
        ],
        [new RegExp(`(?:${oneOf(words.builtins)})(?=\\()`), "function"],
        [new RegExp(`${name}(?=\\()`), "function"],
        [
          new RegExp(name),
          {
            cases: {
              "@literals": "number",
              "@infix": "keyword",
              "@types": "type",
              "@default": "variable",
            },
          },
        ],
        [operators, "operator"],
        [/[{}()[\]]/, "@brackets"],
      ],
      comment: [
        [/\*\//, "comment", "@pop"],
        [/[^*]+|\*/, "comment"],
      ],
      string: [
        [/\\./, "string.escape"],
        [/\$\{/, "operator", "@inside"],
        [/"/, "string", "@pop"],
        [/[^\\$"]+|\$/, "string"],
        [/$/, "string", "@pop"],
      ],
      text: [
        [/\\./, "string.escape"],
        [/\$\{/, "operator", "@inside"],
        [/"""/, "string", "@pop"],
        [/[^\\$"]+|[$"]/, "string"],
      ],
      inside: [[/\}/, "operator", "@pop"], { include: "@root" }],
    },
    literals: words.values,
    infix: words.infix,
    types: words.types,
  };
}
