import { foreignOperator } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, makeToken, type Token } from "../lexer/token.ts";
import { Comma, Doc, Equal, Identifier, LeftBrace, Minus, Newline, RightBrace } from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";

/** `--max-steps 400` where a member begins. */
export function isFlag(tokens: readonly Token[], index: number): boolean {
  const [before, dash, second, name] = [tokens[index - 1], tokens[index], tokens[index + 1], tokens[index + 2]];
  if (dash?.tokenType !== Minus || second?.tokenType !== Minus || name?.tokenType !== Identifier) return false;
  const begins = before === undefined || [Newline, Doc, LeftBrace, Comma].includes(before.tokenType);
  return begins && name.startOffset === dash.startOffset + 2;
}

/** Reads a flag of a command line as the property that it names. Returns the last index it took up. */
export function readFlag(
  source: Source,
  tokens: readonly Token[],
  index: number,
  result: Token[],
  out: Diagnostic[],
): number {
  const start = tokens[index]?.startOffset ?? 0;
  const written = /^--[\w-]+/.exec(source.text.slice(start))?.[0] ?? "--";
  const name = written.slice(2).replaceAll("-", "_");
  const span: Span = { source, start, end: start + written.length };
  let last = index;
  while ((tokens[last + 1]?.startOffset ?? Infinity) < span.end) last += 1;
  const next = tokens[last + 1];
  const isGiven = next?.tokenType === Equal;
  const isAlone = next === undefined || [Newline, Comma, RightBrace].includes(next.tokenType);
  const newText = isGiven ? name : isAlone ? `${name} = true` : `${name} =`;
  const fixes = [{ title: `write \`${newText}\``, edits: [{ span, newText }] }];
  const instead = `write the flag as \`${name} = …\``;
  out.push(foreignOperator(span, { found: written, instead }, { fixes }));
  if (isAlone) return last;
  result.push(makeToken(Identifier, name, start + 2));
  const end = endOf(tokens[last] ?? makeToken(Minus, "", start));
  if (!isGiven) result.push(makeToken(Equal, "", end));
  return last;
}
