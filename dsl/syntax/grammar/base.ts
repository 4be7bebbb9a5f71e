import {
  EOF,
  type ILookaheadStrategy,
  type IParserErrorMessageProvider,
  type IRecognitionException,
} from "chevrotain";
import {
  foreignForm,
  foreignFunction,
  hyphenName,
  separatorMissing,
  tooDeep,
  trailingCondition,
  unexpected,
  valueMissing,
} from "../../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { endOf, type Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Source, Span } from "../../source/source.ts";
import type { Name } from "../ast.ts";
import { blockBehind } from "../block-after-value.ts";
import { closerOf, closingOf, isCloser } from "../brackets.ts";
import { wordInHeader } from "../header-word.ts";
import type { Layout } from "../layout.ts";
import { atColon, atGlob, atPath } from "../outside.ts";
import { Engine } from "./engine.ts";

/** A mistake that is already reported: unwinds to the sequence around it. */
export class Reported extends Error {}

/** How deep expressions may nest without brackets: `if a then if b then …`, `- - - x`. */
export const deepestExpression = 250;

/** How many operands may stand side by side: `a + a + …` is not deep, but what reads its tree still goes down its left side. */
export const longestChain = 2000;

const nowhere: Source = { path: "", text: "" };

/** What Chevrotain's recording of the rules gets for a token that is not there. */
export const unnamed: Name = { kind: "name", span: { source: nowhere, start: 0, end: 0 }, text: "", quoted: false };

/** What all rules share: spans, and recovery at separators, which keeps healthy siblings. */
export abstract class GrammarBase extends Engine {
  protected source = nowhere;
  protected diagnostics: Diagnostic[] = [];
  protected docs: ReadonlyMap<number, string> = new Map();
  protected depth = 0;
  /** The item at hand has a diagnostic: whatever else is odd about it follows from that. */
  protected quiet = false;
  /** Where the last refused `if` ended: an `else` right behind it is no news. */
  protected refusedUntil = -1;
  protected refusesControl = false;
  /** The items of the lists that are being read, those of the innermost last. */
  private readonly open: unknown[] = [];
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
    this.open.length = 0;
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

  private outside(): Diagnostic | null {
    return this.nextType() === t.Colon ? atColon(this.source, this.LA(1).startOffset) : null;
  }

  /** The next token in the words of a message; before a closing bracket the separator is not there to see. */
  protected found(): string {
    const token = this.LA(1);
    return describe(token.tokenType === t.Separator && token.image === "" ? this.LA(2) : token);
  }

  protected reportValueMissing(): void {
    const before = this.LA(0);
    const next = this.LA(1);
    const opens = before.tokenType === t.LeftSquare || before.tokenType === t.LeftParen || before.image === ",";
    if (before.tokenType === t.Less && next.tokenType === t.Less && this.nextType(2) === t.Colon) {
      const span = { ...this.spanOf(before), end: endOf(this.LA(2)) };
      const written = this.source.text.slice(span.start, span.end);
      this.report(
        foreignForm(span, { written, instead: "a copy with more said is `model wide extends small { … }`" }),
      );
      return;
    }
    if (next.tokenType === t.Star && opens) {
      this.report(foreignForm(this.spanOf(next), { written: "*", instead: "lists are joined by `+`: `xs + [y]`" }));
      return;
    }
    const glob = next.tokenType === t.Star || before.tokenType === t.Star;
    const path =
      this.outside() ??
      atPath(this.source, next.startOffset) ??
      (glob ? atGlob(this.source, next.startOffset) : null);
    if (path !== null) {
      this.report(path);
      return;
    }
    const after = before.tokenType === t.Separator || before.image === "" ? "this" : `\`${before.image}\``;
    this.report(valueMissing(this.spanOfNext(), { after, found: this.found() }));
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

  /** What `items` reads, in an array that has no room for more: one that grows has, and was copied on the way. */
  protected listOf<T>(item: () => T): readonly T[] {
    const { open } = this;
    const from = open.length;
    this.items(() => open.push(item()));
    return open.splice(from) as T[];
  }

  /**
   * What stands between two brackets, or in the file: `(item Separator)*`. A mistake in one item costs that item at
   * most; `list` is filled as items end, so that those before and after it stay.
   */
  protected items(item: () => void): void {
    if (this.RECORDING_PHASE) {
      this.MANY(() => {
        item();
        this.CONSUME(t.Separator);
      });
      return;
    }
    const outer = this.quiet;
    for (;;) {
      const type = this.nextType();
      if (type === t.Separator) {
        this.consumeToken();
        continue;
      }
      if (isCloser(type) || type === EOF) break;
      const start = this.currIdx;
      const { depth, currRuleShortName, currRuleLookaheadFuncs } = this;
      this.quiet = false;
      try {
        item();
        if (this.nextType() !== t.Separator) this.reportSeparatorMissing();
      } catch (error) {
        this.reportException(error);
        this.depth = depth;
        this.currRuleShortName = currRuleShortName;
        this.currRuleLookaheadFuncs = currRuleLookaheadFuncs;
      }
      if (this.nextType() !== t.Separator) this.resynchronise(start);
      if (this.refusesControl) this.refusedUntil = this.currIdx + 1;
      this.refusesControl = false;
    }
    this.quiet = outer;
  }

  private reportSeparatorMissing(): void {
    const next = this.LA(1);
    if (next.tokenType === t.Mistake || isCloser(next.tokenType) || this.reportHyphen()) return;
    const span = this.spanOf(next);
    if (next.tokenType === t.If) {
      this.report(trailingCondition(span, {}));
      return;
    }
    const last = this.LA(0);
    const isArrow = next.tokenType === t.Arrow;
    if (isArrow || last.image === "lambda" || last.image === "function") {
      const word = isArrow ? next : last;
      this.report(foreignFunction(this.spanOf(word), { word: word.image }));
      return;
    }
    if (next.tokenType === t.LeftBrace && last.tokenType === t.Identifier) {
      this.reportBlock(last, next);
      return;
    }
    const startsItem =
      next.tokenType === t.Identifier || next.tokenType === t.NumberToken || next.tokenType === t.StringToken;
    if (!startsItem) {
      this.report(this.outside() ?? unexpected(span, { expected: "a comma or a line break", found: describe(next) }));
      return;
    }
    const ofHeader = wordInHeader(this.source, next, (back) => this.LA(back));
    if (ofHeader !== null) {
      this.report(ofHeader);
      return;
    }
    const at: Span = { source: this.source, start: endOf(this.LA(0)), end: endOf(this.LA(0)) };
    const fixes = [{ title: "insert a comma", edits: [{ span: at, newText: "," }] }];
    this.report(separatorMissing(span, { found: describe(next) }, { fixes }));
  }

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

  private reportBlock(value: Token, open: Token): void {
    const equal = this.LA(-1);
    const between = this.source.text.slice(endOf(equal), value.startOffset);
    // `clip =` and, below it, `layout { … }`: the block stands by itself, and the value is not written yet.
    if (equal.tokenType === t.Equal && /[\r\n]/.test(between)) {
      this.report(valueMissing(this.spanOf(equal), { after: "`=`", found: "the end of the line" }));
      return;
    }
    const close = this.input[closingOf(this.input, this.currIdx + 1) ?? -1];
    this.report(blockBehind(this.source, value, { open, close }, [this.LA(-3), this.LA(-2)]));
  }

  private reportException(error: unknown): void {
    if (error instanceof Reported) return;
    if (!isRecognition(error)) throw error;
    const { token } = error;
    if (token.tokenType === t.Mistake) return;
    const isNext = token === this.LA(1);
    const at = isNext ? this.spanOfNext() : this.spanOf(token);
    this.report(
      (isNext ? this.outside() : null) ??
        unexpected(at, { expected: error.message, found: isNext ? this.found() : describe(token) }),
    );
  }

  /** Goes to the separator that ends the item which began behind `start`, over brackets as a whole. */
  private resynchronise(start: number): void {
    const failed = this.currIdx;
    const tokens = this.input;
    let at = start + 1;
    for (; at < tokens.length; at++) {
      const type = tokens[at]?.tokenType ?? t.Separator;
      if (at > failed && (type === t.Separator || isCloser(type))) break;
      if (closerOf(type) === undefined) continue;
      at = closingOf(tokens, at) ?? at;
    }
    while (this.currIdx < at - 1) this.consumeToken();
  }
}

const errorMessageProvider: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }) => expected.LABEL ?? expected.name,
  buildNotAllInputParsedMessage: () => "the end of the file",
  buildNoViableAltMessage: ({ customUserDescription }) => customUserDescription ?? "something else",
  buildEarlyExitMessage: ({ customUserDescription }) => customUserDescription ?? "something else",
};

function isRecognition(error: unknown): error is IRecognitionException {
  return error instanceof Error && "token" in error;
}

/** A token in the words of a message. */
export function describe(token: Token): string {
  switch (token.tokenType) {
    case t.Separator:
      return token.image === "," ? "`,`" : "the end of the line";
    case t.StringToken:
    case t.StringOpen:
      return token.image.length <= 20 && !/[\r\n]/.test(token.image) ? `\`${token.image}\`` : "a string";
    case EOF:
      return "the end of the file";
    case t.Mistake:
      return "this";
    default:
      return token.image === "" ? (token.tokenType.LABEL ?? token.tokenType.name) : `\`${token.image}\``;
  }
}
