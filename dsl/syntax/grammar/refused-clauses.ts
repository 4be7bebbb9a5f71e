import { EOF } from "chevrotain";
import {
  foreignForm,
  foreignFunction,
  foreignOperator,
  quotedName,
  unexpected,
} from "../../diagnostics/catalog/syntax.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import { endOf, type Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Span } from "../../source/source.ts";
import { closingOf } from "../brackets/closers.ts";
import { actions } from "../numbers/unit-behind.ts";
import { keywords } from "../words.ts";
import { ownName } from "../../lexer/foreign-imports.ts";
import { ForeignGrammar } from "./foreign-statements.ts";
import { Reported } from "./reported.ts";

/** What follows a keyword, as newcomers write it: conditions, imports, members of an enum, functions. */
export abstract class RefusingClauses extends ForeignGrammar {
  /** `assert c, "why"`. */
  protected refuseReason(): void {
    const [comma, reason] = [this.LA(1), this.LA(2)];
    if (comma.image !== "," || reason.tokenType !== t.StringToken || this.nextType(3) !== t.Separator) return;
    const span = this.spanOf(comma);
    const fixes = [{ title: "write `else`", edits: [{ span, newText: " else" }] }];
    const instead = 'the reason follows `else`: `assert c else "why"`';
    this.report(foreignForm(span, { written: ", …", instead }, { fixes }));
    this.consumeToken();
    this.consumeToken();
  }

  /** `expect loss < 3 warn`, `expect loss < 3 then warn`. */
  protected refuseAction(): void {
    const [first, second] = [this.LA(1), this.LA(2)];
    const isBetween = first.tokenType !== t.Separator && first.tokenType !== t.Else && actions.has(second.image);
    const [word, action] = isBetween ? [first, second] : [null, first];
    if (action.tokenType !== t.Identifier || !actions.has(action.image)) return;
    const span = this.spanOf(word ?? action);
    const at = word === null ? { ...span, end: span.start } : span;
    const fixes = [{ title: "write `else`", edits: [{ span: at, newText: word === null ? "else " : "else" }] }];
    this.report(unexpected(span, { expected: "`else`", found: `\`${word?.image ?? action.image}\`` }, { fixes }));
    throw new Reported();
  }

  /** `assert a = b`. */
  protected refuseGiven(): void {
    const equal = this.LA(1);
    if (equal.tokenType !== t.Equal) return;
    const span = this.spanOf(equal);
    const fixes = [{ title: "write `==`", edits: [{ span, newText: "==" }] }];
    this.report(foreignOperator(span, { found: "=", instead: "it sets a value, `==` compares" }, { fixes }));
    throw new Reported();
  }

  /** `expect loss at 100 steps <= 3`. */
  protected refusePoint(): void {
    const [word, point] = [this.LA(1), this.LA(2)];
    if (word.image !== "at" || point.tokenType !== t.NumberToken) return;
    const span: Span = { source: this.source, start: endOf(this.LA(0)), end: endOf(point) };
    const newText = `.at(${point.image})`;
    const fixes = [{ title: `write \`${newText}\``, edits: [{ span, newText }] }];
    const instead = `the value at one point is \`${this.LA(0).image}${newText}\``;
    this.report(foreignForm(this.spanOf(word), { written: `at ${point.image}`, instead }, { fixes }));
    throw new Reported();
  }

  protected refuseComparison(token: Token): void {
    const span = this.spanOf(token);
    const fixes = [{ title: "write `=`", edits: [{ span, newText: "=" }] }];
    this.remark(foreignOperator(span, { found: "==", instead: "it compares, `=` sets a value" }, { fixes }));
  }

  /** `import "file"` alone, `import "file" a, b`, `import "file" (a, b)`: names without their braces. */
  protected refuseBareImport(): void {
    if (this.nextType() === t.Separator || this.nextType() === EOF) this.refuseNamelessImport(this.LA(0));
    if (this.nextType() !== t.Identifier && this.nextType() !== t.LeftParen) return;
    const start = this.LA(1).startOffset;
    const written =
      /^(?:\w+(?:[ \t]*,[ \t]*\w+)*|\([ \t]*\w+(?:[ \t]*,[ \t]*\w+)*[ \t]*\))(?=[ \t]*(?:[\r\n]|\/\/|$))/;
    const found = written.exec(this.source.text.slice(start))?.[0];
    if (found === undefined) return;
    const names = found.replaceAll(/[()]/g, "").trim();
    const span: Span = { source: this.source, start, end: start + found.length };
    const fixes = [{ title: `write \`{ ${names} }\``, edits: [{ span, newText: `{ ${names} }` }] }];
    this.report(unexpected(span, { expected: "`{ names }` or `as name`", found: `\`${names}\`` }, { fixes }));
    throw new Reported();
  }

  private refuseNamelessImport(path: Token): never {
    const end = { ...this.spanOf(path), start: endOf(path) };
    const newText = ` as ${ownName(path.image.slice(1, -1))}`;
    const fixes = [{ title: `write \`${newText.trim()}\``, edits: [{ span: end, newText }] }];
    this.report(unexpected(end, { expected: "`{ names }` or `as name`", found: "the end of the line" }, { fixes }));
    throw new Reported();
  }

  /** `enum E { "a" }`: only what is no name stands in quotes. */
  protected refuseQuotedMember(member: Token): void {
    const { text, quoted, span } = this.nameOf(member);
    if (!quoted || keywords.has(text) || !/^[A-Za-z_]\w*$/.test(text)) return;
    const fixes = [{ title: `write \`${text}\``, edits: [{ span, newText: text }] }];
    this.remark(quotedName(span, { name: text }, { fixes }));
  }

  /** `enum E { a = 1 }`. */
  protected refuseMemberValue(): void {
    if (this.nextType() !== t.Equal) return;
    const [name, equal] = [this.LA(0).image, this.spanOf(this.LA(1))];
    const instead = `members of an enum have no values; a table of values is a record, \`let table = { ${name} = … }\``;
    this.report(foreignForm(equal, { written: `${name} = …`, instead }, { fix: `Write \`${name}\` alone.` }));
    throw new Reported();
  }

  /** `fn f = …`: a function without its parameters. */
  /** `fn half(x: Int) { return x / 2 }`. */
  protected refuseFunctionBody(): void {
    const open = this.LA(1);
    if (open.tokenType !== t.LeftBrace) return;
    const start = open.startOffset;
    const [body = "{", value] =
      /^\{\s*(?:return\b)?\s*([^\s{};](?:[^{};\r\n]*[^\s{};])?)\s*;?\s*\}/.exec(this.source.text.slice(start)) ?? [];
    const span: Span = { source: this.source, start, end: start + body.length };
    const fixes = value === undefined ? [] : [replacement(span, `= ${value}`)];
    const instead = "a function is one value: `fn half(x: Int) = x / 2`";
    this.report(foreignForm(this.spanOf(open), { written: "{ … }", instead }, { fixes }));
    throw new Reported();
  }

  /** `assert(a == b, "why")`. */
  protected refuseAssertCall(): void {
    const open = this.LA(1);
    if (open.tokenType !== t.LeftParen) return;
    const close = this.input[closingOf(this.input, this.currIdx + 1) ?? -1];
    if (close === undefined) return;
    const span: Span = { source: this.source, start: open.startOffset, end: endOf(close) };
    const said = /^\(\s*([^]*?)\s*,\s*("[^"\r\n]*")\s*,?\s*\)$/.exec(this.source.text.slice(span.start, span.end));
    if (said === null) return;
    const newText = ` ${said[1] ?? ""} else ${said[2] ?? ""}`;
    const instead = 'the reason follows `else`: `assert c else "why"`';
    this.report(
      foreignForm(
        span,
        { written: "assert(…, …)", instead },
        { fixes: [replacement(span, newText, "write `else`")] },
      ),
    );
    throw new Reported();
  }

  protected refuseFunctionValue(word: Token): void {
    if (this.nextType() !== t.Equal) return;
    this.report(
      foreignFunction(this.spanFrom(word), { word: this.source.text.slice(word.startOffset, endOf(this.LA(1))) }),
    );
    throw new Reported();
  }
}
