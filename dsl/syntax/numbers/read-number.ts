import { numberForm, numberSuffix, percentBlank, scaleBlank, unitRatio } from "../../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Fix } from "../../diagnostics/diagnostic.ts";
import { isFractional, splitNumber } from "../../lexer/number.ts";
import { endOf, makeToken, type Token } from "../../lexer/token.ts";
import { Identifier, NumberToken, Slash } from "../../lexer/vocabulary.ts";
import type { Source, Span } from "../../source/source.ts";
import type { NumberLiteral } from "../ast.ts";
import { compoundTime } from "./clock.ts";
import { ratioBehind } from "./ratio-behind.ts";
import { isScale, meantScale, meantSuffix, type Scale } from "./suffix.ts";
import { isLonePercent, isUnit, type Line } from "./unit-behind.ts";
import { write } from "./write.ts";

/** Units of one word, which most are: the tree holds each once. */
export type Units = Map<string, readonly string[]>;

const nothing: readonly string[] = [];

/** Makes the token at `index` a number with its scale and its unit, and gives the index of the last token that it takes up. */
export function readNumber(
  source: Source,
  tokens: readonly Token[],
  index: number,
  line: Line,
  units: Units,
  out: Diagnostic[],
): number {
  const reading = new Reading(source, tokens, index, line, out);
  reading.read();
  return reading.end(units);
}

/** One number, from its digits on. */
class Reading {
  readonly #source: Source;
  readonly #tokens: readonly Token[];
  readonly #index: number;
  readonly #line: Line;
  readonly #out: Diagnostic[];
  readonly #token: Token;
  /** Of its digits and the letters glued to them. */
  readonly #span: Span;
  readonly #digits: string;
  readonly #suffix: string;
  #value: number;
  #scale: Scale | null = null;
  #numerator: string | null = null;
  #denominator = nothing;
  #unitSpan: Span;
  /** Index of the last token it takes up. */
  #last: number;
  /** Its scale was mended, and no unit follows: whether one is missing is seen when that is. */
  #isOpen = false;

  constructor(source: Source, tokens: readonly Token[], index: number, line: Line, out: Diagnostic[]) {
    this.#source = source;
    this.#tokens = tokens;
    this.#index = index;
    this.#line = line;
    this.#out = out;
    this.#token = tokens[index] ?? makeToken(NumberToken, "0", 0);
    this.#span = this.#spanOf(this.#token);
    const { digits, suffix } = splitNumber(this.#token.image);
    this.#digits = digits;
    this.#suffix = suffix;
    this.#value = Number(/[_']/.test(digits) ? digits.replaceAll(/[_']/g, "") : digits);
    this.#unitSpan = this.#span;
    this.#last = index;
  }

  read(): void {
    const reported = this.#out.length;
    const hasUnit = isUnit(this.#source, this.#tokens, this.#index, this.#line);
    this.#readDigits();
    this.#readSuffix(hasUnit);
    if (this.#numerator === null) {
      if (hasUnit) this.#readWord();
      else if (this.#suffix === "") this.#readPercent();
    }
    this.#readBehindSlashes();
    if (this.#out.length === reported) this.#readRatio();
  }

  end(units: Units): number {
    const start = this.#span.start;
    const end = endOf(this.#tokens[this.#last] ?? this.#token);
    const isLonger = this.#last > this.#index;
    const literal: NumberLiteral = {
      kind: "number",
      span: isLonger ? { source: this.#source, start, end } : this.#span,
      value: Number.isNaN(this.#value) ? 0 : this.#value,
      scale: this.#scale,
      unit:
        this.#numerator === null
          ? null
          : {
              kind: "unit",
              span: this.#unitSpan,
              numerator: onlyOf(this.#numerator, units),
              denominator: this.#denominator,
            },
      fractional: isFractional(this.#digits),
    };
    if (isLonger) this.#token.image = this.#source.text.slice(start, end);
    this.#token.payload = this.#isOpen ? { ...literal, repaired: true } : literal;
    return this.#last;
  }

  #readDigits(): void {
    const digits = this.#digits;
    if (digits.startsWith(".") || /\.(?:e|$)/i.test(digits)) {
      const newText = `${digits.startsWith(".") ? "0" : ""}${digits.replace(/\.(?=e|$)/i, ".0")}${this.#suffix}`;
      // A version, `1.2.3`, is no number with a point too many.
      this.#sayForm(digits.indexOf(".") === digits.lastIndexOf(".") ? newText : null);
    }
    if (digits.includes("'")) this.#sayForm(`${digits.replaceAll("'", "_")}${this.#suffix}`);
  }

  /** The letters glued to its digits: `20B`, `5%`, `0x10`, `30min`. */
  #readSuffix(unitFollows: boolean): void {
    const suffix = this.#suffix;
    if (suffix === "%") {
      this.#numerator = "%";
      this.#unitSpan = { ...this.#span, start: this.#span.end - 1 };
    } else if (isScale(suffix)) this.#scale = suffix;
    else if (this.#digits === "0" && /^(?:x[\da-f]+|b[01]+|o[0-7]+)$/i.test(suffix)) {
      this.#value = Number(this.#token.image);
      this.#sayForm(String(this.#value));
    } else if (suffix !== "") {
      this.#readLetters(unitFollows);
      this.#unitSpan = { ...this.#span, start: this.#span.start + this.#digits.length };
    }
  }

  #readLetters(unitFollows: boolean): void {
    const suffix = this.#suffix;
    const meant = meantSuffix(suffix, unitFollows);
    const time = meant === null ? compoundTime(this.#token.image) : null;
    if (time !== null) {
      const [unit, amount] = time;
      this.#sayForm(`${amount} ${unit}`);
      this.#value = amount;
      this.#numerator = unit;
    } else if (meant === null) this.#sayForm(null);
    else {
      const { scale, unit } = meant;
      const newText = `${this.#digits}${scale ?? ""}${unit === null ? "" : unit === "%" ? "%" : ` ${unit}`}`;
      this.#out.push(
        numberSuffix(this.#span, { text: this.#token.image, suffix }, { fixes: [write(this.#span, newText)] }),
      );
      this.#scale = scale;
      this.#numerator = unit;
    }
  }

  /** A word behind a blank: a unit, or a scale that belongs to the digits, with its unit behind it. */
  #readWord(): void {
    const word = this.#tokens[this.#index + 1];
    if (word === undefined) return;
    const hasUnit = this.#scale === null && isUnit(this.#source, this.#tokens, this.#index + 1, this.#line);
    // `512 B` of memory is in bytes, and `7 B` of a model in billions: which, its place says.
    const isBytes = word.image === "B" && !hasUnit;
    const scale = this.#scale === null && !isBytes ? scaleOf(word.image, hasUnit) : null;
    if (scale === null) {
      this.#takeUnit(word);
      return;
    }
    this.#last += 1;
    this.#scale = scale;
    const span = this.#spanOf(word);
    this.#out.push(
      scaleBlank(span, { scale }, { fixes: [directlyBehind({ ...span, start: this.#span.end }, scale)] }),
    );
    const unit = hasUnit ? this.#tokens[this.#last + 1] : undefined;
    this.#isOpen = unit === undefined;
    if (unit !== undefined) this.#takeUnit(unit);
  }

  #takeUnit(unit: Token): void {
    this.#last += 1;
    this.#numerator = unit.image;
    this.#unitSpan = this.#spanOf(unit);
  }

  /** `5 %`. */
  #readPercent(): void {
    const percent = this.#tokens[this.#index + 1];
    if (percent === undefined || !isLonePercent(this.#source, this.#tokens, this.#index)) return;
    const span = this.#spanOf(percent);
    const blank: Span = { ...span, start: this.#span.end, end: span.start };
    this.#out.push(percentBlank(span, {}, { fixes: [directlyBehind(blank, "")] }));
    this.#takeUnit(percent);
  }

  /** `usd/gpu/h`. */
  #readBehindSlashes(): void {
    while (this.#numerator !== null) {
      const slash = this.#tokens[this.#last + 1];
      const per = this.#tokens[this.#last + 2];
      if (slash?.tokenType !== Slash || per?.tokenType !== Identifier) break;
      if (slash.startOffset !== endOf(this.#tokens[this.#last] ?? slash) || per.startOffset !== endOf(slash)) break;
      this.#denominator = [...this.#denominator, per.image];
      this.#unitSpan = { ...this.#unitSpan, end: endOf(per) };
      this.#last += 2;
    }
  }

  #readRatio(): void {
    const ratio = ratioBehind(this.#source, this.#tokens, this.#last, this.#numerator);
    if (ratio === null) return;
    const { text } = this.#source;
    const { start } = this.#span;
    const read = text.slice(start, endOf(this.#tokens[this.#last] ?? this.#token));
    this.#numerator ??= ratio.numerator;
    this.#denominator = [...this.#denominator, ratio.per];
    const behind = endOf(this.#tokens[ratio.last] ?? this.#token);
    this.#last = ratio.last;
    this.#readBehindSlashes();
    const whole: Span = { ...this.#span, end: endOf(this.#tokens[this.#last] ?? this.#token) };
    this.#unitSpan = { ...this.#unitSpan, end: whole.end };
    const meant = `${read}${ratio.behind}${text.slice(behind, whole.end)}`;
    this.#out.push(
      unitRatio(whole, { written: text.slice(start, whole.end), meant }, { fixes: [write(whole, meant)] }),
    );
  }

  #sayForm(meant: string | null): void {
    const fixes = meant === null ? [] : [write(this.#span, meant)];
    this.#out.push(numberForm(this.#span, { text: this.#token.image }, { fixes }));
  }

  #spanOf(token: Token): Span {
    return { source: this.#source, start: token.startOffset, end: endOf(token) };
  }
}

const directlyBehind = (span: Span, newText: string): Fix => ({
  title: "write it directly after the number",
  edits: [{ span, newText }],
});

/** The scale that a word behind a number stands for: two letters of other case are one only before a unit. */
function scaleOf(word: string, hasUnit: boolean): Scale | null {
  if (hasUnit || word.length > 2) return meantScale(word);
  return isScale(word) ? word : null;
}

function onlyOf(unit: string, units: Units): readonly string[] {
  const known = units.get(unit);
  if (known !== undefined) return known;
  const only = [unit];
  units.set(unit, only);
  return only;
}
