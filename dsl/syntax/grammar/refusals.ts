import {
  colonForEqual,
  controlFlow,
  declarationEqual,
  equalMissing,
  extendsMissing,
  foreignImport,
  foreignBinding,
  foreignForm,
  foreignFunction,
  foreignOperator,
  importQuotes,
  notAMember,
  quotedName,
  setInBraces,
} from "../../diagnostics/catalog/syntax.ts";
import type { Fix } from "../../diagnostics/diagnostic.ts";
import { endOf, type Token, type TokenType } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Span } from "../../source/source.ts";
import type { Name, Path } from "../ast.ts";
import { closingOf } from "../brackets.ts";
import { Reported } from "./base.ts";
import { ExpressionGrammar } from "./expressions.ts";

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
const bindingWords = new Set(["const", "var", "val", "local", "set", "define", "variable"]);

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

/** What goes on with a name at the beginning of a member. */
const startsTail = new Set([
  ...[t.Equal, t.Colon, t.EqualEqual, t.LessEqual, t.GreaterEqual, t.Less, t.Greater, t.In],
  ...[t.LeftBrace, t.Identifier, t.StringToken, t.Extends, t.After, t.On],
]);

/** What is a value, and would be read as one if there were an `=`. */
const startsValue = new Set([t.NumberToken, t.StringOpen, t.True, t.False, t.None, t.Auto]);

const importWords = new Set(["load", "require", "include", "use", "using", "source"]);

/** `load("a", "b")`, `include "a"`, `use a::b`, `import ("a")`, `import { a } from "b"`. */
function isImport(word: string, next: TokenType, after: TokenType): boolean {
  if (word === "import")
    return (next === t.LeftParen && after === t.StringToken) || (next === t.LeftBrace && after === t.Identifier);
  if (!importWords.has(word)) return false;
  if (next === t.LeftParen) return after === t.StringToken;
  return word !== "source" && (next === t.StringToken || (next === t.Identifier && after === t.Colon));
}

/** Members as newcomers write them: each is one message that says how it is written here. */
export abstract class RefusingGrammar extends ExpressionGrammar {
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
      this.report(foreignImport(this.spanOf(first), { word }));
      throw new Reported();
    }
    if (beforeWord && word === "from" && /^from\s+[\w.]+\s+import\b/.test(this.lineFrom(first))) {
      this.report(foreignImport(this.spanOf(first), { word: "from … import" }));
      throw new Reported();
    }
    if (beforeWord && functionWords.has(word)) {
      this.report(foreignFunction(this.spanOf(first), { word }));
      throw new Reported();
    }
  }

  /** What cannot follow the name that a member begins with, or the two that a declaration begins with. */
  protected refuseTail(first: Token, head: Path, name: Name | null): void {
    const next = this.nextType();
    if (name === null) {
      if (first.tokenType === t.Abstract || startsTail.has(next)) return;
      if (startsValue.has(next)) this.failWithoutEqual(head.map((part) => part.text).join("."));
      if (this.reportHyphen()) throw new Reported();
      if (next === t.Separator || next === t.LeftParen || next === t.LeftSquare) {
        const written = this.source.text.slice(first.startOffset, endOf(this.LA(0)));
        const what = `\`${written}${next === t.LeftParen ? "(…)" : ""}\``;
        this.report(notAMember(this.spanFrom(first), { what }));
        throw new Reported();
      }
      this.fail("`=`, a bound or `{`");
    }
    if (name.text === "in" && next === t.LeftBrace) this.refuseSet(name);
    const isBase = this.nextType(2) === t.Identifier;
    const opens = (next === t.Colon && this.nextType(3) === t.LeftBrace) || this.nextType(5) === t.LeftBrace;
    if (isBase && opens && (next === t.Colon || next === t.LeftParen)) this.refuseBase(head[0], name);
    if (next === t.LeftParen) {
      if (this.lineStarts(first)) this.refuseParentheses(first, head[0], name);
      this.failWithoutEqual(head[0].text, name);
    }
    if (head.length > 1) {
      const what = `\`${head.map((part) => part.text).join(".")} ${name.text}\``;
      this.report(notAMember(this.spanFrom(first), { what }));
      throw new Reported();
    }
    if (next === t.Equal || next === t.Colon) this.refuseValue(head[0], name);
  }

  /** A declared name in quotes, without them. */
  protected unquoted(token: Token): Name {
    const name = this.nameOf(token);
    const kind = this.LA(-1);
    if (/\W/.test(name.text) && this.nextType() === t.Separator && kind.tokenType === t.Identifier) {
      this.failWithoutEqual(kind.image, name);
    }
    const text = name.text.replaceAll(/\W+/g, "_").replace(/^(?=\d)/, "_");
    const fixes = [{ title: `write \`${text}\``, edits: [{ span: name.span, newText: text }] }];
    this.remark(quotedName(name.span, { name: name.text }, { fixes: text === "" ? [] : fixes }));
    return { ...name, text, quoted: false };
  }

  /** A `:` where `=` belongs, with or without a type behind it. */
  protected refuseColon(colon: Token, name: Name): void {
    const report = (span: Span, newText: string): void => {
      const fixes = [{ title: "write `=`", edits: [{ span, newText }] }];
      this.remark(colonForEqual(this.spanOf(colon), { name: name.text }, { fixes }));
    };
    const { source } = this;
    const start = endOf(this.LA(-1));
    if (this.nextType() === t.Identifier && this.nextType(2) === t.Equal) {
      report({ source, start, end: endOf(this.LA(2)) }, " =");
      this.consumeToken();
      this.consumeToken();
      return;
    }
    const end = endOf(colon);
    if (this.nextType() === t.LeftBrace) {
      const fixes = [
        { title: "remove `:`", edits: [{ span: { source, start, end: this.LA(1).startOffset }, newText: " " }] },
      ];
      this.remark(colonForEqual(this.spanOf(colon), { name: name.text }, { fixes: name.quoted ? [] : fixes }));
      return;
    }
    const blank = /[ \t\r\n]/.test(source.text[end] ?? "") ? "" : " ";
    if (name.quoted && /^[A-Za-z_]\w*$/.test(name.text)) {
      report({ source, start: name.span.start, end }, `${name.text} =${blank}`);
    } else {
      report({ source, start, end }, ` =${blank}`);
    }
  }

  /** `let x: 3`: a value where a type belongs. */
  protected refuseColonValue(colon: Token): void {
    const next = this.nextType();
    if (next !== t.NumberToken && next !== t.True && next !== t.False && next !== t.Minus) return;
    const span = this.spanOf(colon);
    const fixes = [{ title: "write `=`", edits: [{ span, newText: " =" }] }];
    this.report(colonForEqual(span, { name: this.LA(-1).image }, { fixes }));
    throw new Reported();
  }

  protected refuseComparison(token: Token): void {
    const span = this.spanOf(token);
    const fixes = [{ title: "write `=`", edits: [{ span, newText: "=" }] }];
    this.remark(foreignOperator(span, { found: "==", instead: "it compares, `=` gives a value" }, { fixes }));
  }

  /** `fn f = …`: a function without its parameters. */
  protected refuseFunctionValue(word: Token): void {
    if (this.nextType() !== t.Equal) return;
    this.report(
      foreignFunction(this.spanFrom(word), { word: this.source.text.slice(word.startOffset, endOf(this.LA(1))) }),
    );
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
    const path = this.source.text.slice(span.start, span.end);
    const fixes = [{ title: `write \`"${path}"\``, edits: [{ span, newText: `"${path}"` }] }];
    this.report(importQuotes(span, { path }, { fixes }));
    throw new Reported();
  }

  /** `optimizer adamw(…)`, `batch 512`, `from "hf://…"`. */
  private failWithoutEqual(name: string, value: Name | null = null): never {
    const span = value?.span ?? this.spanOf(this.LA(1));
    const before: Span = { ...span, end: span.start };
    const fixes = [{ title: "insert `=`", edits: [{ span: before, newText: "= " }] }];
    const found = value === null ? this.found() : `\`${this.source.text.slice(span.start, span.end)}\``;
    this.report(equalMissing(span, { name, value: found }, { fixes }));
    throw new Reported();
  }

  /** `a in { 1, 2 }`. */
  private refuseSet(name: Name): never {
    const start = this.LA(1).startOffset;
    const inside = /^\{([^{}\r\n]*)\}/.exec(this.source.text.slice(start));
    const span: Span = { source: this.source, start, end: start + (inside?.[0].length ?? 1) };
    const newText = `[${inside?.[1]?.trim() ?? ""}]`;
    const fixes = inside === null ? [] : [{ title: `write \`${newText}\``, edits: [{ span, newText }] }];
    this.report(setInBraces(name.span, {}, { fixes }));
    throw new Reported();
  }

  /** `cluster pod: node { … }`, `class Pod(Node) { … }`. */
  private refuseBase(kind: Name, name: Name): never {
    const base = this.LA(2);
    const brace = this.nextType() === t.Colon ? this.LA(3) : this.LA(5);
    const span: Span = { source: this.source, start: name.span.end, end: brace.startOffset };
    const newText = ` extends ${base.image} `;
    const slots = { kind: kind.text, name: name.text, base: base.image };
    const fixes = [{ title: `write \`extends ${base.image}\``, edits: [{ span, newText }] }];
    this.report(extendsMissing(this.spanOf(this.LA(1)), slots, { fixes }));
    throw new Reported();
  }

  /** At the top of a file, where nothing is given by `=` alone. */
  private lineStarts({ startOffset }: Token): boolean {
    return startOffset === 0 || /[\r\n]/.test(this.source.text[startOffset - 1] ?? "");
  }

  /** `model x(layers = 4)`. */
  private refuseParentheses(first: Token, kind: Name, name: Name): never {
    const open = this.LA(1);
    const close = this.input[closingOf(this.input, this.currIdx + 1) ?? -1];
    const span = this.spanOf(open);
    const edits = [
      { span: { ...span, start: name.span.end }, newText: " { " },
      ...(close === undefined ? [] : [{ span: this.spanOf(close), newText: " }" }]),
    ];
    const written = `${kind.text} ${name.text}(…)`;
    const instead = `the settings of a block stand in braces: \`${kind.text} ${name.text} { … }\``;
    this.report(
      foreignForm(this.spanFrom(first), { written, instead }, { fixes: [{ title: "write `{ }`", edits }] }),
    );
    throw new Reported();
  }

  /** `stage s = { … }`, `const x = 1`. */
  private refuseValue(kind: Name, name: Name): never {
    if (bindingWords.has(kind.text)) {
      const fixes = [{ title: "write `let`", edits: [{ span: kind.span, newText: "let" }] }];
      this.report(foreignBinding(kind.span, { word: kind.text, name: name.text }, { fixes }));
      throw new Reported();
    }
    const brace = this.LA(2);
    const span: Span = { source: this.source, start: name.span.end, end: brace.startOffset };
    const opens = brace.tokenType === t.LeftBrace;
    const fixes: Fix[] = opens ? [{ title: "remove it", edits: [{ span, newText: " " }] }] : [];
    this.report(declarationEqual(this.spanOf(this.LA(1)), { kind: kind.text, name: name.text }, { fixes }));
    throw new Reported();
  }
}
