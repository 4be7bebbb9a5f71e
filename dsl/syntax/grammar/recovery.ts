import { EOF, type IRecognitionException } from "chevrotain";
import {
  blockAfterValue,
  declarationEqual,
  foreignForm,
  foreignFunction,
  foreignOperator,
  separatorMissing,
  trailingCondition,
  unexpected,
  valueMissing,
} from "../../diagnostics/catalog/syntax.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import { endOf, type Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Source, Span } from "../../source/source.ts";
import { blockBehind } from "../block-after-value.ts";
import { betweenNumbers } from "../between-numbers.ts";
import { closerOf, closingOf, isCloser } from "../brackets/closers.ts";
import { wordInHeader } from "../header-word.ts";
import type { Layout } from "../layout.ts";
import { foreignValue } from "../foreign-value.ts";
import { atGlob, atPath } from "../outside.ts";
import { describeToken } from "./describe-token.ts";
import { NamingGrammar } from "./names.ts";
import { conditionFirst } from "../ternary.ts";
import { Reported } from "./reported.ts";

/** Sequences between brackets, with recovery at their separators, which keeps healthy siblings. */
export abstract class RecoveringGrammar extends NamingGrammar {
  /** The items of the lists that are being read, those of the innermost last. */
  private readonly open: unknown[] = [];

  protected override prepare(source: Source, layout: Layout): void {
    super.prepare(source, layout);
    this.open.length = 0;
  }

  protected reportValueMissing(): void {
    const before = this.LA(0);
    const next = this.LA(1);
    const opens = before.tokenType === t.LeftSquare || before.tokenType === t.LeftParen || before.image === ",";
    if (before.tokenType === t.Less && next.tokenType === t.Less && this.nextType(2) === t.Colon) {
      const span = { ...this.spanOf(before), end: endOf(this.LA(2)) };
      const written = this.source.text.slice(span.start, span.end);
      this.report(foreignForm(span, { written, instead: "a changed copy is `model wide extends small { … }`" }));
      return;
    }
    if (next.tokenType === t.Star && opens) {
      const written = { written: "*", instead: "lists are joined by `+`: `xs + [y]`" };
      this.report(atGlob(this.source, next.startOffset) ?? foreignForm(this.spanOf(next), written));
      return;
    }
    const form = foreignValue(this.source, before, next);
    if (form !== null) {
      this.report(form);
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
    // `a < = b`.
    const isCut = (before.image === "<" || before.image === ">") && next.tokenType === t.Equal;
    const cut: Span = { source: this.source, start: before.startOffset, end: endOf(next) };
    const fixes = isCut ? [replacement(cut, `${before.image}=`)] : [];
    this.report(valueMissing(this.spanOfNext(), { after, found: this.found() }, { fixes }));
  }

  /** What `items` reads, in an array that has no room for more: one that grows has, and was copied on the way. */
  protected listOf<T>(item: () => T): readonly T[] {
    const { open } = this;
    const from = open.length;
    this.items(item, open);
    return open.splice(from) as T[];
  }

  /**
   * What stands between two brackets, or in the file: `(item Separator)*`. A mistake in one item costs that item at
   * most; `into` is filled as items end, so that those before and after it stay.
   */
  protected items(item: () => unknown, into: unknown[] | null = null): void {
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
        const read = item();
        into?.push(read);
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
      this.report(trailingCondition(span, {}, { fixes: conditionFirst(this.source, next.startOffset) }));
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
    if (next.tokenType === t.LeftBrace && last.tokenType === t.RightParen) {
      this.report(blockAfterValue(span, { value: "", instead: "the settings of a call stand in its parentheses" }));
      return;
    }
    if (next.image === "is") {
      this.reportIdentity(next);
      return;
    }
    const startsItem =
      next.tokenType === t.Identifier || next.tokenType === t.NumberToken || next.tokenType === t.StringToken;
    if (!startsItem) {
      this.report(
        this.outside() ?? unexpected(span, { expected: "a comma or a line break", found: describeToken(next) }),
      );
      return;
    }
    const ofHeader = wordInHeader(this.source, next, (back) => this.LA(back));
    if (ofHeader !== null) {
      this.report(ofHeader);
      return;
    }
    const joined = betweenNumbers(this.source, (ahead) => this.LA(ahead));
    if (joined !== null) {
      this.report(joined);
      return;
    }
    const endsHere = this.nextType(2) === t.Separator || isCloser(this.nextType(2));
    if (last.image.endsWith("%") && next.tokenType === t.Identifier && endsHere) {
      const counted = `${last.image.slice(0, -1)} ${next.image}`;
      const written = `${last.image} ${next.image}`;
      const instead = `a share takes no unit, \`${last.image}\` or \`${last.image} of x\`, and a count takes no \`%\`: \`${counted}\``;
      this.report(foreignForm({ ...this.spanOf(last), end: endOf(next) }, { written, instead }));
      return;
    }
    const at: Span = { source: this.source, start: endOf(this.LA(0)), end: endOf(this.LA(0)) };
    const call = `${last.image}(${this.source.text.slice(next.startOffset, endOf(next))})`;
    const isCall = last.tokenType === t.Identifier && next.tokenType !== t.Identifier && endsHere;
    const fixes = [
      ...(isCall ? [replacement({ ...span, start: last.startOffset }, call)] : []),
      { title: "insert a comma", edits: [{ span: at, newText: "," }] },
    ];
    this.report(separatorMissing(span, { found: describeToken(next) }, { fixes }));
  }

  /** `a is b`, `a is not b`. */
  private reportIdentity(word: Token): void {
    const not = this.LA(2).image === "not";
    const span = { ...this.spanOf(word), end: endOf(not ? this.LA(2) : word) };
    const newText = not ? "!=" : "==";
    const fixes = [{ title: `write \`${newText}\``, edits: [{ span, newText }] }];
    this.report(foreignOperator(span, { found: not ? "is not" : "is", instead: `write \`${newText}\`` }, { fixes }));
  }

  private reportBlock(value: Token, open: Token): void {
    const equal = this.LA(-1);
    const between = this.source.text.slice(endOf(equal), value.startOffset);
    // `clip =` and, below it, `layout { … }`: the block stands by itself, and the value is not written yet.
    if (equal.tokenType === t.Equal && /[\r\n]/.test(between)) {
      this.report(valueMissing(this.spanOf(equal), { after: "`=`", found: "the end of the line" }));
      return;
    }
    // `stage = s { … }` in the file itself, where only declarations have braces.
    const name = this.LA(-2);
    if (equal.tokenType === t.Equal && name.tokenType === t.Identifier && this.beginsStatement(this.currIdx - 2)) {
      const span: Span = { source: this.source, start: endOf(name), end: value.startOffset };
      const slots = { kind: name.image, name: value.image, sign: "=" };
      this.report(declarationEqual(this.spanOf(equal), slots, { fixes: [replacement(span, " ", "remove `=`")] }));
      return;
    }
    const close = this.input[closingOf(this.input, this.currIdx + 1) ?? -1];
    this.report(blockBehind(this.source, value, { open, close }, [this.LA(-3), this.LA(-2)]));
  }

  /** Whether a statement of the file begins at this index, and no member of a block. */
  private beginsStatement(index: number): boolean {
    let depth = 0;
    for (const { tokenType } of this.input.slice(0, index)) {
      if (closerOf(tokenType) !== undefined) depth += 1;
      else if (isCloser(tokenType)) depth -= 1;
    }
    return depth === 0 && (index === 0 || this.input[index - 1]?.tokenType === t.Separator);
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
        unexpected(at, { expected: error.message, found: isNext ? this.found() : describeToken(token) }),
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

function isRecognition(error: unknown): error is IRecognitionException {
  return error instanceof Error && "token" in error;
}
