import { numberComma, numberForm } from "../../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { endOf, type Token, type TokenType } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Source } from "../../source/source.ts";

/** Behind one of these stands one value: digits behind a comma are not the next item of a list. */
const beforeOneValue = new Set<TokenType>([
  ...[t.Equal, t.EqualEqual, t.NotEqual, t.Less, t.LessEqual, t.Greater, t.GreaterEqual, t.Colon],
]);

/** No quantity has more groups of three digits. What goes on is a list, which need not be walked from each of its items. */
const mostGroups = 10;

/**
 * `1,000 steps` and `lr = 0,001`: glues the digits behind a comma to the number at `index`, as they were meant, and gives how
 * many tokens they are.
 */
export function readDigitCommas(
  source: Source,
  tokens: readonly Token[],
  index: number,
  before: Token | undefined,
  out: Diagnostic[],
): number {
  const first = tokens[index];
  if (first === undefined || !/^\d{1,3}$/.test(first.image)) return 0;
  const groups: string[] = [];
  let end = endOf(first);
  for (let at = index + 1; groups.length <= mostGroups; at += 2) {
    const [comma, digits] = [tokens[at], tokens[at + 1]];
    if (comma?.tokenType !== t.Comma || digits?.tokenType !== t.NumberToken) break;
    if (comma.startOffset !== end || digits.startOffset !== end + 1) break;
    end = endOf(digits);
    groups.push(digits.image);
    if (!/^\d+$/.test(digits.image)) break;
  }
  if (groups.length === 0 || groups.length > mostGroups) return 0;
  const isOneValue = beforeOneValue.has(before?.tokenType ?? t.Newline);
  const areThousands = first.image !== "0" && groups.every((group) => /^\d{3}(?!\d)/.test(group));
  const haveZeros = groups.some((group) => /^0\d\d(?!\d)/.test(group));
  if (!(areThousands && (isOneValue || haveZeros)) && !(isOneValue && groups.length === 1)) return 0;
  const image = areThousands ? [first.image, ...groups].join("_") : `${first.image}.${groups.join("")}`;
  const span = { source, start: first.startOffset, end };
  const text = source.text.slice(span.start, span.end);
  const fixes = [{ title: `write \`${image}\``, edits: [{ span, newText: image }] }];
  out.push(numberComma(span, { text, meant: image }, { fixes }));
  first.image = image;
  return 2 * groups.length;
}

/** `10 000 steps`: the same of digits behind one blank. */
export function readDigitBlanks(source: Source, tokens: readonly Token[], index: number, out: Diagnostic[]): number {
  const first = tokens[index];
  if (first === undefined || !/^\d{1,3}$/.test(first.image)) return 0;
  const groups: string[] = [];
  let end = endOf(first);
  while (groups.length < mostGroups) {
    const digits = tokens[index + groups.length + 1];
    if (digits?.tokenType !== t.NumberToken || digits.startOffset !== end + 1 || source.text[end] === "\n") break;
    if (!/^\d{3}(?!\d)/.test(digits.image)) break;
    end = endOf(digits);
    groups.push(digits.image);
    if (digits.image.length > 3) break;
  }
  if (groups.length === 0) return 0;
  const image = [first.image, ...groups].join("_");
  const span = { source, start: first.startOffset, end };
  const fixes = [{ title: `write \`${image}\``, edits: [{ span, newText: image }] }];
  out.push(numberForm(span, { text: source.text.slice(span.start, end) }, { fixes }));
  first.image = image;
  return groups.length;
}
