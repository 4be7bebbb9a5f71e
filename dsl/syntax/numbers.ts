import {
  clockTime,
  headerWord,
  numberForm,
  numberSuffix,
  percentBlank,
  scaleBlank,
  unitRatio,
} from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { isFractional, splitNumber } from "../lexer/number.ts";
import { endOf, makeToken, repair, type Token } from "../lexer/token.ts";
import {
  Colon,
  Comma,
  Equal,
  ForeignOperator,
  Identifier,
  LeftBrace,
  LeftParen,
  LeftSquare,
  Minus,
  Newline,
  NumberToken,
  Slash,
} from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";
import type { NumberLiteral } from "./ast.ts";
import { units as known } from "../types/units.ts";
import { clockDuration, compoundTime } from "./clock.ts";
import { readDigitBlanks, readDigitCommas } from "./digit-commas.ts";
import { ratioBehind } from "./ratio-behind.ts";
import { clauseWords } from "./words.ts";
import { isScale, meantScale, meantSuffix, type Scale } from "./number-suffix.ts";

/** Words that go on with an expression after a number; any other word on its line is its unit. */
const infixWords = new Set(["in", "of", "and", "or", "not", "then", "else", "with", "divides", "for", "if"]);

/** What `else` of a condition may begin with. */
export const actions: ReadonlySet<string> = new Set(["warn", "stop", "rollback"]);

/** Makes one token of each number, its scale and its unit, in place: `20B tokens`, `2.10 usd/gpu/h`. Its payload is its literal. */
export function readNumbers(source: Source, tokens: Token[], out: Diagnostic[]): Token[] {
  let kept = 0;
  const units: Units = new Map();
  let line = inOther;
  let startsLine = true;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    if (startsLine)
      line =
        token.image === "param" ? inParam : token.image === "expect" || token.image === "assert" ? inCheck : inOther;
    startsLine = token.tokenType === Newline;
    if (token.tokenType !== NumberToken) {
      tokens[kept++] = token;
      continue;
    }
    const named = nameOfDigits(source, tokens, index, tokens[kept - 1], tokens[kept - 2]);
    if (named !== null) {
      out.push(named);
      tokens[kept++] = repair(makeToken(Identifier, token.image, token.startOffset));
      continue;
    }
    const reported = out.length;
    if (tokens[index + 1]?.tokenType === Comma && tokens[index + 2]?.tokenType === NumberToken) {
      index += readDigitCommas(source, tokens, index, tokens[kept - 1], out);
      tokens[index] = token;
    } else if (tokens[index + 1]?.tokenType === NumberToken) {
      index += readDigitBlanks(source, tokens, index, out);
      tokens[index] = token;
    }
    const clock = readClock(source, tokens, index, out);
    index = clock?.last ?? readNumber(source, tokens, index, line, units, out);
    const read = clock?.token ?? token;
    tokens[kept++] = out.length > reported ? repair(read) : read;
  }
  tokens.length = kept;
  return tokens;
}

/** `stage 1pre { … }`: what stands behind a kind and before the rest of its header is a name. */
function nameOfDigits(
  source: Source,
  tokens: readonly Token[],
  index: number,
  kind: Token | undefined,
  before: Token | undefined,
): Diagnostic | null {
  const token = tokens[index];
  if (token === undefined || kind?.tokenType !== Identifier || !/[A-Za-z_]\w*$/.test(token.image)) return null;
  const beginsLine = before === undefined || before.tokenType === Newline || before.image === "abstract";
  const behind = tokens[index + 1];
  const isHeader = behind?.tokenType === LeftBrace || clauseWords.has(behind?.image ?? "");
  if (!beginsLine || !isHeader || !/^\w+$/.test(token.image)) return null;
  const span: Span = { source, start: token.startOffset, end: endOf(token) };
  const why = "a name begins with a letter or `_`";
  const fixes = [write(span, `_${token.image}`)];
  return headerWord(
    span,
    { block: `${kind.image} ${token.image}`, why },
    { fixes, fix: "Write a name that begins with a letter." },
  );
}

interface Read {
  readonly token: Token;
  /** Index of the last token it takes up. */
  readonly last: number;
}

/** Only in a `param`, `=` follows a bound with its unit: `param amount: Tokens in 1B..1T tokens = 20B tokens`. */
interface Line {
  readonly isParam: boolean;
  /** What is to happen is no unit of what is compared: `expect loss < 3 warn`. */
  readonly isCheck: boolean;
}

/** Units of one word, which most are: the tree holds each once. */
type Units = Map<string, readonly string[]>;

const inParam: Line = { isParam: true, isCheck: false };
const inCheck: Line = { isParam: false, isCheck: true };
const inOther: Line = { isParam: false, isCheck: false };
const nothing: readonly string[] = [];

/** Returns the index of the last token that the number takes up. */
function readNumber(
  source: Source,
  tokens: readonly Token[],
  index: number,
  line: Line,
  units: Units,
  out: Diagnostic[],
): number {
  const token = tokens[index] ?? makeToken(NumberToken, "0", 0);
  const start = token.startOffset;
  const reported = out.length;
  const { digits, suffix } = splitNumber(token.image);
  const span: Span = { source, start, end: endOf(token) };
  if (digits.startsWith(".") || /\.(?:e|$)/i.test(digits)) {
    const newText = `${digits.startsWith(".") ? "0" : ""}${digits.replace(/\.(?=e|$)/i, ".0")}${suffix}`;
    // A version, `1.2.3`, is no number with a point too many.
    const fixes = digits.indexOf(".") === digits.lastIndexOf(".") ? [write(span, newText)] : [];
    out.push(numberForm(span, { text: token.image }, { fixes }));
  }
  if (digits.includes("'")) {
    const fixes = [write(span, `${digits.replaceAll("'", "_")}${suffix}`)];
    out.push(numberForm(span, { text: token.image }, { fixes }));
  }
  let value = Number(/[_']/.test(digits) ? digits.replaceAll(/[_']/g, "") : digits);
  let scale: Scale | null = null;
  let numerator: string | null = null;
  let unitSpan = span;
  let last = index;
  /** Its scale was mended, and no unit follows: whether one is missing is seen when that is. */
  let isOpen = false;

  const next = tokens[index + 1];
  const nextIsUnit = isUnit(source, tokens, index, line);
  if (suffix === "%") {
    numerator = "%";
    unitSpan = { source, start: span.end - 1, end: span.end };
  } else if (isScale(suffix)) scale = suffix;
  else if (digits === "0" && /^(?:x[\da-f]+|b[01]+|o[0-7]+)$/i.test(suffix)) {
    value = Number(token.image);
    out.push(numberForm(span, { text: token.image }, { fixes: [write(span, String(value))] }));
  } else if (suffix !== "") {
    const meant = meantSuffix(suffix, nextIsUnit);
    const time = meant === null ? compoundTime(token.image) : null;
    if (time !== null) {
      const [unit, amount] = time;
      out.push(numberForm(span, { text: token.image }, { fixes: [write(span, `${amount} ${unit}`)] }));
      value = amount;
      numerator = unit;
    } else if (meant === null) out.push(numberForm(span, { text: token.image }));
    else {
      const newText = `${digits}${meant.scale ?? ""}${meant.unit === null ? "" : meant.unit === "%" ? "%" : ` ${meant.unit}`}`;
      out.push(numberSuffix(span, { text: token.image, suffix }, { fixes: [write(span, newText)] }));
      scale = meant.scale;
      numerator = meant.unit;
    }
    unitSpan = { source, start: start + digits.length, end: span.end };
  }

  if (numerator === null && nextIsUnit && next !== undefined) {
    const hasUnit = scale === null && isUnit(source, tokens, index + 1, line);
    // `512 B` of memory is in bytes, and `7 B` of a model in billions: which, its place says.
    const isBytes = next.image === "B" && !hasUnit;
    const scaleWord = scale === null && !isBytes ? scaleOf(next.image, hasUnit) : null;
    const nextSpan: Span = { source, start: next.startOffset, end: endOf(next) };
    last = index + 1;
    if (scaleWord === null) {
      numerator = next.image;
      unitSpan = nextSpan;
    } else {
      scale = scaleWord;
      const edit = { span: { ...nextSpan, start: span.end }, newText: scaleWord };
      out.push(
        scaleBlank(
          nextSpan,
          { scale: scaleWord },
          { fixes: [{ title: "write it directly after the number", edits: [edit] }] },
        ),
      );
      const unit = hasUnit ? tokens[last + 1] : undefined;
      isOpen = unit === undefined;
      if (unit !== undefined) {
        last += 1;
        numerator = unit.image;
        unitSpan = { source, start: unit.startOffset, end: endOf(unit) };
      }
    }
  } else if (numerator === null && suffix === "" && isLonePercent(source, tokens, index) && next !== undefined) {
    const percent: Span = { source, start: next.startOffset, end: endOf(next) };
    const edit = { span: { ...percent, start: span.end, end: next.startOffset }, newText: "" };
    out.push(percentBlank(percent, {}, { fixes: [{ title: "write it directly after the number", edits: [edit] }] }));
    numerator = "%";
    unitSpan = percent;
    last = index + 1;
  }

  let denominator = nothing;
  const readBehindSlashes = (): void => {
    while (numerator !== null) {
      const slash = tokens[last + 1];
      const per = tokens[last + 2];
      if (slash?.tokenType !== Slash || per?.tokenType !== Identifier) break;
      if (slash.startOffset !== endOf(tokens[last] ?? slash) || per.startOffset !== endOf(slash)) break;
      denominator = [...denominator, per.image];
      unitSpan = { ...unitSpan, end: endOf(per) };
      last += 2;
    }
  };
  readBehindSlashes();
  const ratio = out.length === reported ? ratioBehind(source, tokens, last, numerator) : null;
  if (ratio !== null) {
    const read = source.text.slice(start, endOf(tokens[last] ?? token));
    numerator ??= ratio.numerator;
    denominator = [...denominator, ratio.per];
    const behind = endOf(tokens[ratio.last] ?? token);
    last = ratio.last;
    readBehindSlashes();
    const whole: Span = { source, start, end: endOf(tokens[last] ?? token) };
    unitSpan = { ...unitSpan, end: whole.end };
    const written = source.text.slice(start, whole.end);
    const meant = `${read}${ratio.behind}${source.text.slice(behind, whole.end)}`;
    out.push(unitRatio(whole, { written, meant }, { fixes: [write(whole, meant)] }));
  }
  const end = endOf(tokens[last] ?? token);
  if (Number.isNaN(value)) value = 0;
  const literal: NumberLiteral = {
    kind: "number",
    span: last > index ? { source, start, end } : span,
    value,
    scale,
    unit:
      numerator === null ? null : { kind: "unit", span: unitSpan, numerator: onlyOf(numerator, units), denominator },
    fractional: isFractional(digits),
  };
  if (last > index) token.image = source.text.slice(start, end);
  token.payload = isOpen ? { ...literal, repaired: true } : literal;
  return last;
}

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

/** A word on the same line that goes on with nothing is the unit of the number before it. */
function isUnit(source: Source, tokens: readonly Token[], index: number, line: Line): boolean {
  const number = tokens[index];
  const word = tokens[index + 1];
  if (number === undefined || word?.tokenType !== Identifier || infixWords.has(word.image)) return false;
  if (!isBlank(source.text, endOf(number), word.startOffset)) return false;
  if (line.isCheck && (actions.has(word.image) || standsForElse(tokens, index + 1))) return false;
  const after = tokens[index + 2]?.tokenType;
  if (after === Equal) return line.isParam;
  return after !== Colon && after !== LeftParen;
}

/** `expect loss < 3 otherwise warn`. */
const standsForElse = (tokens: readonly Token[], index: number): boolean =>
  actions.has(tokens[index + 1]?.image ?? "") && !known.has(tokens[index]?.image ?? "");

/** Whether blanks stand between two offsets, one at least. */
function isBlank(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 9) return false;
  }
  return from < to;
}

/** `5 %` with nothing behind it that it could be a remainder of. */
function isLonePercent(source: Source, tokens: readonly Token[], index: number): boolean {
  const percent = tokens[index + 1];
  if (percent?.tokenType !== ForeignOperator || percent.image !== "%") return false;
  const after = tokens[index + 2];
  if (after === undefined) return true;
  const operand = after.tokenType === Identifier ? !infixWords.has(after.image) : after.tokenType === NumberToken;
  const sameLine = !/[\r\n]/.test(source.text.slice(endOf(percent), after.startOffset));
  return !(sameLine && (operand || after.tokenType === LeftParen));
}

/** Slurm's `[days-]hours:minutes:seconds` and `minutes:seconds`, glued. */
function readClock(source: Source, tokens: readonly Token[], index: number, out: Diagnostic[]): Read | null {
  const glued = tokens[index + 1]?.tokenType;
  if (glued !== Colon && glued !== Minus) return null;
  const parts: string[] = [];
  let days: string | null = null;
  let last = index;
  for (let at = index; ; at += 2) {
    const number = tokens[at];
    const glue = tokens[at + 1];
    const next = tokens[at + 2];
    if (number?.tokenType !== NumberToken || !/^\d+$/.test(number.image)) break;
    parts.push(number.image);
    last = at;
    if (glue?.startOffset !== endOf(number) || next?.startOffset !== endOf(glue)) break;
    if (glue.tokenType === Minus && days === null && parts.length === 1) days = parts.pop() ?? null;
    else if (glue.tokenType !== Colon) break;
  }
  if (parts.length < 2 || parts.length > 3 || tokens[index - 1]?.tokenType === LeftSquare) return null;
  const [a = "0", b = "0", c] = parts;
  const [unit, amount] = clockDuration(days ?? undefined, a, b, c);
  const start = tokens[index]?.startOffset ?? 0;
  const span: Span = { source, start, end: endOf(tokens[last] ?? makeToken(NumberToken, "", start)) };
  const text = source.text.slice(span.start, span.end);
  out.push(clockTime(span, { text }, { fixes: [write(span, `${amount} ${unit}`)] }));
  const literal: NumberLiteral = {
    kind: "number",
    span,
    value: amount,
    scale: null,
    unit: { kind: "unit", span, numerator: [unit], denominator: [] },
    fractional: false,
  };
  return { token: makeToken(NumberToken, text, start, literal), last };
}

function write(span: Span, newText: string): { title: string; edits: { span: Span; newText: string }[] } {
  return { title: `write \`${newText}\``, edits: [{ span, newText }] };
}
