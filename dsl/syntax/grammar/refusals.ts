import {
  abstractAmends,
  colonForEqual,
  declarationEqual,
  equalMissing,
  extendsMissing,
  foreignBinding,
  foreignForm,
  notAMember,
  quotedName,
  setInBraces,
  typeForm,
} from "../../diagnostics/catalog/syntax.ts";
import type { Fix } from "../../diagnostics/diagnostic.ts";
import { endOf, type Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import { cover, type Span } from "../../source/source.ts";
import type { Name, Path } from "../ast.ts";
import { closingOf } from "../brackets/closers.ts";
import { docstring } from "../docstring.ts";
import { atBraces } from "../outside.ts";
import { opensIndented } from "../opens-indented.ts";
import { RefusingClauses } from "./refused-clauses.ts";
import { Reported } from "./reported.ts";

const bindingWords = new Set(["const", "var", "val", "local", "set", "define", "variable"]);

/** What goes on with a name at the beginning of a member. */
const startsTail = new Set([
  ...[t.Equal, t.Colon, t.EqualEqual, t.LessEqual, t.GreaterEqual, t.Less, t.Greater, t.In],
  ...[t.LeftBrace, t.Identifier, t.StringToken, t.Extends, t.After, t.On],
]);

/** What is a value, and would be read as one if there were an `=`. */
const startsValue = new Set([t.NumberToken, t.StringOpen, t.True, t.False, t.None, t.Auto]);

/** Members as newcomers write them: each is one message that says how it is written here. */
export abstract class RefusingGrammar extends RefusingClauses {
  /** What cannot follow the name that a member begins with, or the two that a declaration begins with. */
  protected refuseTail(first: Token, head: Path, name: Name | null): void {
    const next = this.nextType();
    if (name === null) {
      if (first.tokenType === t.Abstract) {
        this.report(abstractAmends(cover(this.spanOf(first), head[0].span), { name: head[0].text }));
        throw new Reported();
      }
      if (startsTail.has(next)) return;
      if (startsValue.has(next)) this.failWithoutEqual(head.map((part) => part.text).join("."));
      if (this.reportHyphen()) throw new Reported();
      if (next === t.Separator || next === t.LeftParen || next === t.LeftSquare) {
        const written = this.source.text.slice(first.startOffset, endOf(this.LA(0)));
        const what = `\`${written}${next === t.LeftParen ? "(…)" : ""}\``;
        this.report(
          docstring(this.source, this.input, this.currIdx) ??
            atBraces(this.source, first.startOffset) ??
            notAMember(this.spanFrom(first), { what }),
        );
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
    if (!name.quoted && (name.text === "expect" || name.text === "assert")) {
      const instead = `the condition follows \`${name.text}\` without a sign`;
      const fixes = [{ title: "remove it", edits: [{ span: { source, start, end }, newText: "" }] }];
      this.report(foreignForm(this.spanOf(colon), { written: ":", instead }, { fixes }));
      throw new Reported();
    }
    if (opensIndented(source, end)) {
      const slots = { name: name.text, isBlock: true };
      this.remark(colonForEqual(this.spanOf(colon), slots, { fix: `Write \`${name.text} { … }\`.` }));
      return;
    }
    if (this.nextType() === t.LeftBrace) {
      const fixes = [
        { title: "remove `:`", edits: [{ span: { source, start, end: this.LA(1).startOffset }, newText: " " }] },
      ];
      const block = { fix: `Write a block with its kind, its name and braces: \`${name.text} NAME { … }\`.` };
      this.remark(colonForEqual(this.spanOf(colon), { name: name.text }, name.quoted ? block : { fixes }));
      return;
    }
    if (!name.quoted && this.nextType() === t.Identifier && this.nextType(2) === t.LeftBrace) {
      const next = this.LA(1);
      const fixes = [
        { title: "remove `:`", edits: [{ span: { source, start, end: next.startOffset }, newText: " " }] },
      ];
      const slots = { kind: name.text, name: next.image, sign: ":" };
      this.report(declarationEqual(this.spanOf(colon), slots, { fixes }));
      throw new Reported();
    }
    const blank = /[ \t\r\n]/.test(source.text[end] ?? "") ? "" : " ";
    if (this.isInside("vary")) {
      const fixes = [{ title: "write `in`", edits: [{ span: { source, start, end }, newText: ` in${blank}` }] }];
      this.report(colonForEqual(this.spanOf(colon), { name: name.text, isVaried: true }, { fixes }));
      throw new Reported();
    }
    if (name.quoted && /^[A-Za-z_]\w*$/.test(name.text)) {
      report({ source, start: name.span.start, end }, `${name.text} =${blank}`);
    } else {
      report({ source, start, end }, ` =${blank}`);
    }
  }

  /** Whether the braces around are those of a block that begins with this word. */
  private isInside(word: string): boolean {
    let depth = 0;
    for (let at = this.currIdx; at >= 0; at--) {
      const type = this.input[at]?.tokenType;
      if (type === t.RightBrace) depth += 1;
      else if (type === t.LeftBrace && --depth < 0) {
        const before = this.input[at - 1];
        return (
          (before?.tokenType === t.Colon || before?.tokenType === t.Equal ? this.input[at - 2] : before)?.image ===
          word
        );
      }
    }
    return false;
  }

  /** `let x: 3`: a value where a type belongs. */
  protected refuseColonValue(colon: Token): void {
    const next = this.nextType();
    if (next === t.NumberToken && this.nextType(2) === t.Pipe) this.refuseNumbersAsType();
    if (next !== t.NumberToken && next !== t.True && next !== t.False && next !== t.Minus) return;
    const span = this.spanOf(colon);
    const fixes = [{ title: "write `=`", edits: [{ span, newText: " =" }] }];
    this.report(colonForEqual(span, { name: this.LA(-1).image }, { fixes }));
    throw new Reported();
  }

  /** `param heads: 1 | 2 | 4 = 2`: only texts and types are members of a union. */
  private refuseNumbersAsType(): never {
    const first = this.LA(1);
    let last = 1;
    while (this.nextType(last + 1) === t.Pipe && this.nextType(last + 2) === t.NumberToken) last += 2;
    const span: Span = { source: this.source, start: first.startOffset, end: endOf(this.LA(last)) };
    const written = this.source.text.slice(span.start, span.end);
    const isCount = !/[.e%]/.test(written);
    const isPlain = /^[\d_.eE|\s]+$/.test(written);
    const instead = `${isCount ? "Int" : "Float"} in [${written.split(/\s*\|\s*/).join(", ")}]`;
    const fixes = isPlain ? [{ title: `write \`${instead}\``, edits: [{ span, newText: instead }] }] : [];
    this.report(typeForm(span, { written, instead }, { fixes }));
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
    const instead = `the settings of a block are written in braces: \`${kind.text} ${name.text} { … }\``;
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
    const based = /^\s*=\s*([A-Za-z_][\w.]*)(?:\s+with)?\s*(?=\{)/.exec(this.source.text.slice(name.span.end));
    const base = based?.[1];
    const fixes: Fix[] = opens
      ? [{ title: "remove it", edits: [{ span, newText: " " }] }]
      : base !== undefined
        ? [
            {
              title: `write \`extends ${base}\``,
              edits: [
                { span: { ...span, end: name.span.end + (based?.[0].length ?? 0) }, newText: ` extends ${base} ` },
              ],
            },
          ]
        : [];
    const slots = { kind: kind.text, name: name.text, sign: this.LA(1).image };
    this.report(declarationEqual(this.spanOf(this.LA(1)), slots, { fixes }));
    throw new Reported();
  }
}
