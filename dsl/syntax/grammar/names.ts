import { hyphenName } from "../../diagnostics/catalog/syntax.ts";
import { endOf, type Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Span } from "../../source/source.ts";
import type { Name } from "../ast.ts";
import { ReportingGrammar } from "./reporting.ts";

/** Names, and those with hyphens that newcomers write: `dgx-a100`. */
export abstract class NamingGrammar extends ReportingGrammar {
  /** Whether the name just read goes on with a hyphen: `dgx-a100`. */
  protected reportHyphen(): boolean {
    const first = this.LA(0);
    const isHyphen = this.nextType() === t.Minus && this.LA(1).startOffset === endOf(first);
    if (!isHyphen || first.tokenType !== t.Identifier) return false;
    let end = endOf(first);
    for (let ahead = 1; this.LA(ahead).startOffset === end; ahead++) {
      const { tokenType } = this.LA(ahead);
      if (tokenType !== t.Minus && tokenType !== t.Identifier && tokenType !== t.NumberToken) break;
      end = endOf(this.LA(ahead));
    }
    const span: Span = { source: this.source, start: first.startOffset, end };
    const written = this.source.text.slice(span.start, span.end);
    const name = written.replaceAll(/\W+/g, "_");
    const fixes = [{ title: `write \`${name}\``, edits: [{ span, newText: name }] }];
    this.report(hyphenName(span, { written, name }, { fixes }));
    return true;
  }

  /** The name just read; one with hyphens is read as the name that the fix writes. */
  protected wholeName(token: Token): Name {
    const name = this.nameOf(token);
    if (this.RECORDING_PHASE || !this.reportHyphen()) return name;
    const start = token.startOffset;
    while (this.isHyphenated()) this.consumeToken();
    const end = endOf(this.LA(0));
    const text = this.source.text.slice(start, end).replaceAll(/\W+/g, "_");
    return { ...name, text, span: { source: this.source, start, end } };
  }

  private isHyphenated(): boolean {
    const type = this.nextType();
    if (type !== t.Minus && type !== t.Identifier && type !== t.NumberToken) return false;
    return this.LA(1).startOffset === endOf(this.LA(0));
  }
}
