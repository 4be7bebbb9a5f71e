/** `3e-4 to 1e-4`: a word between two numbers, which joins nothing here. */
import { foreignForm } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { replacement } from "../diagnostics/suggest.ts";
import { endOf, type Token } from "../lexer/token.ts";
import { Identifier, In, NumberToken } from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";

const joining = /^(?:to|until|till|through|upto)$/i;

/** `at(0)` is the token that was read last, `at(1)` the next one. A word behind digits was read as their unit. */
export function betweenNumbers(source: Source, at: (ahead: number) => Token): Diagnostic | null {
  const last = at(0);
  const next = at(1);
  if (last.tokenType !== NumberToken) return null;
  const [, digits, unit = ""] =
    /^([\d._]+(?:e[-+]?\d+)?(?:[KMGT]i|[KMBT])?%?)[ \t]*([A-Za-z_]\w*)?$/i.exec(last.image) ?? [];
  if (digits === undefined) return null;
  const isUnit = joining.test(unit);
  const isWord = !isUnit && next.tokenType === Identifier && joining.test(next.image);
  const second = isUnit ? next : at(2);
  if ((!isUnit && !isWord) || second.tokenType !== NumberToken) return null;
  const shared = isUnit ? (/[ \t][A-Za-z_]\w*$/.exec(second.image)?.[0] ?? "") : "";
  const first = isUnit ? `${digits}${shared}` : last.image;
  const span: Span = { source, start: last.startOffset, end: endOf(second) };
  const range = `${second.image.endsWith(` ${unit}`) || isUnit ? digits : first}..${second.image}`;
  const isChoice = at(-1).tokenType === In;
  const falls = Number(second.image) / Number(first);
  const schedule =
    falls > 0 && falls < 1
      ? `, and what a rate falls to is said by its schedule, \`cosine(to = ${Number((100 * falls).toPrecision(2))}%)\``
      : "";
  const instead = isChoice
    ? `a range is \`${range}\``
    : `write one value; a range is \`name in ${range}\`${schedule}`;
  const fixes = (isChoice ? [range] : [first, second.image]).map((newText) => replacement(span, newText));
  return foreignForm(span, { written: source.text.slice(span.start, span.end), instead }, { fixes });
}
