import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { makeToken, repair, type Token } from "../../lexer/token.ts";
import { Comma, Identifier, Newline, NumberToken } from "../../lexer/vocabulary.ts";
import type { Source } from "../../source/source.ts";
import { readClock } from "./clock-token.ts";
import { readDigitBlanks, readDigitCommas } from "./digit-commas.ts";
import { nameOfDigits } from "./name-of-digits.ts";
import { readNumber, type Units } from "./read-number.ts";
import type { Line } from "./unit-behind.ts";

const inParam: Line = { isParam: true, isCheck: false };
const inCheck: Line = { isParam: false, isCheck: true };
const inOther: Line = { isParam: false, isCheck: false };

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
