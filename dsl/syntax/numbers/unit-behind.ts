/** Which word behind a number is its unit. */
import { endOf, type Token } from "../../lexer/token.ts";
import { Colon, Equal, ForeignOperator, Identifier, LeftParen, NumberToken } from "../../lexer/vocabulary.ts";
import type { Source } from "../../source/source.ts";
import { units as known } from "../../types/units.ts";

/** Words that go on with an expression after a number; any other word on its line is its unit. */
const infixWords = new Set(["in", "of", "and", "or", "not", "then", "else", "with", "divides", "for", "if"]);

/** What `else` of a condition may begin with. */
export const actions: ReadonlySet<string> = new Set(["warn", "stop", "rollback"]);

/** Only in a `param`, `=` follows a bound with its unit: `param amount: Tokens in 1B..1T tokens = 20B tokens`. */
export interface Line {
  readonly isParam: boolean;
  /** What is to happen is no unit of what is compared: `expect loss < 3 warn`. */
  readonly isCheck: boolean;
}

/** A word on the same line that goes on with nothing is the unit of the number before it. */
export function isUnit(source: Source, tokens: readonly Token[], index: number, line: Line): boolean {
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
export function isLonePercent(source: Source, tokens: readonly Token[], index: number): boolean {
  const percent = tokens[index + 1];
  if (percent?.tokenType !== ForeignOperator || percent.image !== "%") return false;
  const after = tokens[index + 2];
  if (after === undefined) return true;
  const operand = after.tokenType === Identifier ? !infixWords.has(after.image) : after.tokenType === NumberToken;
  const sameLine = !/[\r\n]/.test(source.text.slice(endOf(percent), after.startOffset));
  return !(sameLine && (operand || after.tokenType === LeftParen));
}
