import {
  controlFlow,
  foreignForm,
  foreignFunction,
  foreignImport,
  importQuotes,
} from "../../diagnostics/catalog/syntax.ts";
import { endOf, type Token, type TokenType } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Span } from "../../source/source.ts";
import { ExpressionGrammar } from "./expressions.ts";
import { Reported } from "./reported.ts";

const controlWords = new Set([
  "if",
  "for",
  "while",
  "elif",
  "else",
  "elseif",
  "switch",
  "case",
  "return",
  "try",
  "except",
  "finally",
  "unless",
]);
/** What goes on with a statement that is refused already. */
const goesOnControl = new Set(["elif", "else", "elseif", "except", "finally"]);
const functionWords = new Set(["def", "function", "func", "lambda", "class", "macro"]);

/** Blocks of Terraform, with what is written here. */
const foreignBlocks: Readonly<Record<string, string>> = {
  variable: "a value that can be set is `param name: Type = value`",
  locals: "a value with a name is `let name = value`",
  output: "nothing is handed out: other files import what this one declares",
  resource: "a block is its kind and a name: `cluster pod { … }`",
  dynamic: "a block is written where it belongs; `when = condition` makes it conditional",
  module: 'another file is brought in by `import "file" { names }`',
  provider: "where it runs is `launch name on cluster { target = … }`",
  terraform: "the rules of the file are `edition = 2026`",
};

const importWords = new Set(["load", "require", "include", "use", "using", "source"]);

/** `load("a", "b")`, `include "a"`, `use a::b`, `import ("a")`, `import { a } from "b"`. */
function isImport(word: string, next: TokenType, after: TokenType): boolean {
  if (word === "import")
    return (next === t.LeftParen && after === t.StringToken) || (next === t.LeftBrace && after === t.Identifier);
  if (!importWords.has(word)) return false;
  if (next === t.LeftParen) return after === t.StringToken;
  return word !== "source" && (next === t.StringToken || (next === t.Identifier && after === t.Colon));
}

/** Statements of other languages: each is one message that says what is written here. */
export abstract class ForeignGrammar extends ExpressionGrammar {
  /** What begins like a statement of another language. */
  protected refuseForeign(first: Token): void {
    const word = first.image;
    const next = this.LA(2);
    if (first.tokenType === t.If || first.tokenType === t.For || first.tokenType === t.Else)
      this.refuseControl(first);
    if (first.tokenType === t.LeftSquare || first.tokenType === t.Less) this.refuseSection(first);
    if (first.tokenType !== t.Identifier) return;
    this.refuseTerraform(first);
    const beforeWord = next.tokenType === t.Identifier;
    const starts = beforeWord || next.tokenType === t.LeftParen || next.tokenType === t.Not;
    // A block by indentation was read as a mistake without text.
    const opens = next.tokenType === t.Colon && this.LA(3).tokenType === t.Mistake && this.LA(3).image === "";
    if ((starts || opens || next.tokenType === t.NumberToken) && controlWords.has(word)) this.refuseControl(first);
    if (beforeWord && word === "import") this.refuseImport();
    if (isImport(word, next.tokenType, this.nextType(3))) {
      const isWhole = /^\w+\s+"[^"]*"\s*(?:\{[^{}]*\}|as\s+\w+)\s*$/.test(this.lineFrom(first));
      const write = { title: "write `import`", edits: [{ span: this.spanOf(first), newText: "import" }] };
      this.report(foreignImport(this.spanOf(first), { word }, isWhole ? { fixes: [write] } : {}));
      throw new Reported();
    }
    if (beforeWord && word === "from" && /^from\s+[\w.]+\s+import\b/.test(this.lineFrom(first))) {
      this.report(foreignImport(this.spanOf(first), { word: "from … import" }));
      throw new Reported();
    }
    if (word === "from" && next.tokenType === t.StringToken) this.refuseFrom(first);
    if (beforeWord && word === "class" && this.nextType(3) === t.LeftBrace) {
      const instead = `a block begins with its kind, \`model ${next.image} { … }\`, and what others extend is \`abstract\``;
      this.report(foreignForm(this.spanOf(first), { written: "class", instead }));
      throw new Reported();
    }
    if (beforeWord && functionWords.has(word)) {
      this.report(foreignFunction(this.spanOf(first), { word }));
      throw new Reported();
    }
  }

  /** `from "file" import a, b`. */
  private refuseFrom(first: Token): void {
    const [line, path, names] = /^from\s+("[^"]*")\s+import\s+(\w+(?:\s*,\s*\w+)*)/.exec(this.lineFrom(first)) ?? [];
    if (line === undefined || path === undefined || names === undefined) return;
    const span = { ...this.spanOf(first), end: first.startOffset + line.length };
    const newText = `import ${path} { ${names} }`;
    const fixes = [{ title: `write \`${newText}\``, edits: [{ span, newText }] }];
    this.report(foreignImport(this.spanOf(first), { word: "from … import" }, { fixes }));
    throw new Reported();
  }

  private lineFrom(first: Token): string {
    const { text } = this.source;
    const end = text.indexOf("\n", first.startOffset);
    return text.slice(first.startOffset, end < 0 ? text.length : end);
  }

  private refuseForm(span: Span, instead: string): never {
    const written = this.source.text.slice(span.start, span.end);
    this.report(foreignForm(span, { written, instead }));
    throw new Reported();
  }

  /** `variable "lr" { … }`, `locals { … }`. */
  private refuseTerraform(first: Token): void {
    const next = this.nextType(2);
    if (next !== t.StringToken && next !== t.LeftBrace) return;
    const instead = Object.hasOwn(foreignBlocks, first.image) ? foreignBlocks[first.image] : undefined;
    const opens = next === t.StringToken || /^(?:locals|terraform)$/.test(first.image);
    if (instead !== undefined && opens) this.refuseForm(this.spanOf(first), instead);
  }

  /** `[model]` and `[[stage]]` of TOML, `<<: *base` of YAML. */
  private refuseSection(first: Token): void {
    const line = this.lineFrom(first);
    const section = /^\[{1,2}([\w."-]+)\]{1,2}(?=\s*(?:$|#|\/\/))/.exec(line);
    const merge = /^<<\s*:/.exec(line);
    const span = { ...this.spanOf(first), end: first.startOffset + (section ?? merge ?? [""])[0].length };
    if (section !== null) this.refuseForm(span, "a block is its kind, a name and braces: `model small { … }`");
    if (merge !== null) this.refuseForm(span, "a copy with more said is `model wide extends small { … }`");
  }

  private refuseControl(word: Token): never {
    if (this.currIdx === this.refusedUntil && goesOnControl.has(word.image)) this.quiet = true;
    this.refusesControl = true;
    this.report(controlFlow(this.spanOf(word), { word: word.image }));
    throw new Reported();
  }

  private refuseImport(): never {
    let ahead = 2;
    while (this.LA(ahead + 1).startOffset === endOf(this.LA(ahead)) && this.nextType(ahead + 1) !== t.Separator)
      ahead += 1;
    const span: Span = { source: this.source, start: this.LA(2).startOffset, end: endOf(this.LA(ahead)) };
    const said = this.source.text.slice(span.start, span.end);
    // What others part with points is a path here.
    const path = said.startsWith("std.") ? said.replaceAll(".", "/") : said;
    const fixes = [{ title: `write \`"${path}"\``, edits: [{ span, newText: `"${path}"` }] }];
    this.report(importQuotes(span, { path }, { fixes }));
    throw new Reported();
  }
}
