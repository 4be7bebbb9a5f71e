import {
  controlFlow,
  foreignForm,
  foreignFunction,
  foreignImport,
  gluedWord,
  importQuotes,
} from "../../diagnostics/catalog/syntax.ts";
import { gluedIn } from "../glued.ts";
import { endOf, type Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Span } from "../../source/source.ts";
import { ExpressionGrammar } from "./expressions.ts";
import { foreignImportOf, importWords, ownName } from "../../lexer/foreign-imports.ts";
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
  variable: "a variable is `param name: Type = value`",
  locals: "a named value is `let name = value`",
  output: "outputs do not exist: other files import the declarations of this one",
  resource: "a block is a kind and a name: `cluster pod { … }`",
  dynamic: "write the block itself; `when = condition` makes it conditional",
  module: 'another file is imported by `import "file" { names }`',
  provider: "the place of a run is `launch name on cluster { target = … }`",
  terraform: "the version of the language is `edition = 2026`",
};

/** Statements of other languages: each is one message that says what is written here. */
export abstract class ForeignGrammar extends ExpressionGrammar {
  /** What begins like a statement of another language. */
  protected refuseForeign(first: Token): void {
    const word = first.image;
    const next = this.LA(2);
    if (first.tokenType === t.If || first.tokenType === t.For || first.tokenType === t.Else)
      this.refuseControl(first);
    if (first.tokenType === t.LeftSquare || first.tokenType === t.Less) this.refuseSection(first);
    if (first.tokenType === t.LeftBrace && next.tokenType === t.StringToken && this.nextType(3) === t.Colon)
      this.refuseJson(first, next);
    if (importWords.has(word)) this.refuseForeignImport(first);
    if (first.tokenType !== t.Identifier) return;
    this.refuseGlued(first);
    this.refuseTerraform(first);
    const beforeWord = next.tokenType === t.Identifier;
    const starts = beforeWord || next.tokenType === t.LeftParen || next.tokenType === t.Not;
    // A block by indentation was read as a mistake without text.
    const opens = next.tokenType === t.Colon && this.LA(3).tokenType === t.Mistake && this.LA(3).image === "";
    if ((starts || opens || next.tokenType === t.NumberToken) && controlWords.has(word)) this.refuseControl(first);
    if (beforeWord && word === "import") this.refuseImport();
    if (beforeWord && word === "class" && this.nextType(3) === t.LeftBrace) {
      const instead = `a block begins with its kind, \`model ${next.image} { … }\`, and a base for others is \`abstract\``;
      this.report(foreignForm(this.spanOf(first), { written: "class", instead }));
      throw new Reported();
    }
    if (beforeWord && functionWords.has(word)) {
      this.report(foreignFunction(this.spanOf(first), { word }));
      throw new Reported();
    }
  }

  /** `paramx: Int = 3`, `fnhalf(x: Int) = x / 2`. */
  private refuseGlued(first: Token): void {
    const glued = gluedIn(this.lineFrom(first));
    if (glued === null) return;
    const span = this.spanOf(first);
    const end = { ...span, start: span.start + glued.word.length, end: span.start + glued.word.length };
    const fixes = [{ title: "put a blank there", edits: [{ span: end, newText: " " }] }];
    this.report(gluedWord(span, glued, { fixes }));
    throw new Reported();
  }

  private refuseForeignImport(first: Token): void {
    const found = foreignImportOf(this.source.text, first.startOffset);
    if (found === null) return;
    const { word, written, length } = found;
    const span = { ...this.spanOf(first), end: first.startOffset + length };
    const fixes = [{ title: `write \`${written}\``, edits: [{ span, newText: written }] }];
    this.report(foreignImport(this.spanOf(first), { word, written }, { fixes }));
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
    if (section !== null) this.refuseForm(span, "a block is a kind, a name and braces: `model small { … }`");
    if (merge !== null) this.refuseForm(span, "a changed copy is `model wide extends small { … }`");
  }

  /** A file of JSON. */
  private refuseJson(open: Token, key: Token): never {
    const written = `{ ${key.image}: … }`;
    const instead = "a block is a kind, a name and braces, and names have no quotes: `model small { layers = 4 }`";
    this.report(foreignForm(this.spanOf(open), { written, instead }));
    throw new Reported();
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
    const isBare = path.startsWith("std/") && /^[ \t]*(?:[\r\n]|\/\/|#|$)/.test(this.source.text.slice(span.end));
    const newText = isBare ? `"${path}" as ${ownName(path)}` : `"${path}"`;
    const fixes = [{ title: `write \`${newText}\``, edits: [{ span, newText }] }];
    this.report(importQuotes(span, { path }, { fixes }));
    throw new Reported();
  }
}
