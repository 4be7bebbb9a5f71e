import { EOF, type ILookaheadStrategy, type IParserErrorMessageProvider } from "chevrotain";
import { tooDeep, unexpected } from "../../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { endOf, type Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Source, Span } from "../../source/source.ts";
import type { Name } from "../ast.ts";
import type { Layout } from "../layout.ts";
import { atColon } from "../outside.ts";
import { describeToken } from "./describe-token.ts";
import { Engine } from "./engine.ts";
import { deepestExpression } from "./limits.ts";
import { Reported } from "./reported.ts";
import { unnamed } from "./unnamed.ts";

const nowhere: Source = unnamed.span.source;

const errorMessageProvider: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }) => expected.LABEL ?? expected.name,
  buildNotAllInputParsedMessage: () => "the end of the file",
  buildNoViableAltMessage: ({ customUserDescription }) => customUserDescription ?? "something else",
  buildEarlyExitMessage: ({ customUserDescription }) => customUserDescription ?? "something else",
};

/** What all rules share: the file that is read, spans in it, and messages about the next token. */
export abstract class ReportingGrammar extends Engine {
  protected source = nowhere;
  protected diagnostics: Diagnostic[] = [];
  protected docs: ReadonlyMap<number, string> = new Map();
  protected depth = 0;
  /** The item at hand has a diagnostic: whatever else is odd about it follows from that. */
  protected quiet = false;
  /** Where the last refused `if` ended: an `else` right behind it is no news. */
  protected refusedUntil = -1;
  protected refusesControl = false;
  private texts = new Map<string, string>();

  protected readonly deepest: number;

  constructor(lookaheadStrategy: ILookaheadStrategy, deepest = deepestExpression) {
    super(t.parsed, { maxLookahead: 2, recoveryEnabled: false, errorMessageProvider, lookaheadStrategy });
    this.deepest = deepest;
  }

  protected prepare(source: Source, layout: Layout): void {
    this.input = layout.tokens;
    this.source = source;
    this.diagnostics = [];
    this.docs = layout.docs;
    this.quiet = false;
    this.depth = 0;
    this.refusedUntil = -1;
    this.refusesControl = false;
  }

  /** Lets go of what was read: the parser lives longer. */
  protected release(): readonly Diagnostic[] {
    const { diagnostics } = this;
    this.input = [];
    this.source = nowhere;
    this.diagnostics = [];
    this.docs = new Map();
    this.texts = new Map();
    return diagnostics;
  }

  /** From a token to the last one consumed. */
  protected spanFrom(first: Token | Span): Span {
    if (this.RECORDING_PHASE) return unnamed.span;
    const start = "startOffset" in first ? first.startOffset : first.start;
    return { source: this.source, start, end: Math.max(start, endOf(this.LA(0))) };
  }

  protected spanOf(token: Token): Span {
    if (this.RECORDING_PHASE) return unnamed.span;
    const { length } = this.source.text;
    if (token.tokenType === EOF) return { source: this.source, start: length, end: length };
    return { source: this.source, start: token.startOffset, end: endOf(token) };
  }

  /** Where a message about the next token points: an ending line has no width. */
  protected spanOfNext(): Span {
    const token = this.LA(1);
    if (token.tokenType !== t.Separator || token.image === ",") return this.spanOf(token);
    const end = endOf(this.LA(0));
    return { source: this.source, start: end, end };
  }

  protected nameOf(token: Token): Name {
    if (this.RECORDING_PHASE) return unnamed;
    const quoted = token.tokenType === t.StringToken;
    const text = quoted && typeof token.payload === "string" ? token.payload : token.image;
    return { kind: "name", span: this.spanOf(token), text: this.shared(text), quoted };
  }

  /** The same text once, however often a file says it: each token has cut its own from the source. */
  private shared(text: string): string {
    const known = this.texts.get(text);
    if (known === undefined) this.texts.set(text, text);
    return known ?? text;
  }

  protected report(diagnostic: Diagnostic): void {
    if (!this.quiet) this.diagnostics.push(diagnostic);
    this.quiet = true;
  }

  /** Reports something that does not keep the rest of the item from being read. */
  protected remark(diagnostic: Diagnostic): void {
    if (!this.quiet) this.diagnostics.push(diagnostic);
  }

  protected fail(expected: string): never {
    if (this.nextType() !== t.Mistake) {
      this.report(this.outside() ?? unexpected(this.spanOfNext(), { expected, found: this.found() }));
    }
    this.quiet = true;
    throw new Reported();
  }

  protected outside(): Diagnostic | null {
    return this.nextType() === t.Colon ? atColon(this.source, this.LA(1).startOffset) : null;
  }

  /** The next token in the words of a message; before a closing bracket the separator is not there to see. */
  protected found(): string {
    const token = this.LA(1);
    return describeToken(token.tokenType === t.Separator && token.image === "" ? this.LA(2) : token);
  }

  protected failDeep(): never {
    this.report(tooDeep(this.spanOfNext(), {}));
    throw new Reported();
  }

  /** Chevrotain would look through the whole grammar for what it could have been. */
  protected raiseNoAltException(_occurrence: number, expected = "something else"): never {
    this.fail(expected);
  }

  /** For where a single value stands. */
  protected refuseSecond(span: Span): void {
    this.quiet = false;
    const found = `\`${this.source.text.slice(span.start, span.end)}\``;
    this.report(unexpected(span, { expected: "one value", found }));
  }
}
