import { headerWord } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, type Token } from "../lexer/token.ts";
import { Dot, Identifier, LeftBrace, Newline } from "../lexer/vocabulary.ts";
import type { Source } from "../source/source.ts";

const clauses: ReadonlySet<string> = new Set(["extends", "after", "on"]);

/** A header on several lines, `stage s` above `extends base {`: read as the one line that it is. */
export function readHeaderLines(source: Source, tokens: Token[], out: Diagnostic[]): Token[] {
  const splits = tokens.flatMap((_, index) => (isSplit(tokens, index) ? [index] : []));
  if (splits.length === 0) return tokens;
  const dropped = new Set(splits);
  for (const index of splits) {
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    if (before === undefined || next === undefined) continue;
    const word = clauses.has(next.image) ? next : before;
    const span = { source, start: endOf(before), end: next.startOffset };
    const fixes = [{ title: "join the lines", edits: [{ span, newText: " " }] }];
    const line = tokens.slice(lineBegin(tokens, index), index).filter(({ image }) => image !== "abstract");
    const block = `${line[0]?.image ?? ""} ${line[1]?.image ?? ""}`;
    const why = `it stands on one line, with the name behind \`${word.image}\``;
    const at = { source, start: word.startOffset, end: endOf(word) };
    out.push(headerWord(at, { block, why }, { fixes, fix: "Write the header on one line." }));
  }
  return tokens.filter((_, index) => !dropped.has(index));
}

/** Whether a line break stands before or behind the word of a clause, in what is a header up to its brace. */
function isSplit(tokens: readonly Token[], index: number): boolean {
  if (tokens[index]?.tokenType !== Newline) return false;
  const [before, next] = [tokens[index - 1], tokens[index + 1]];
  if (before?.tokenType !== Identifier || next?.tokenType !== Identifier) return false;
  if (!clauses.has(before.image) && !clauses.has(next.image)) return false;
  const line = tokens.slice(lineBegin(tokens, index), index);
  const isHeader = line.length > 1 && line.every(({ tokenType }) => tokenType === Identifier || tokenType === Dot);
  let at = index + 1;
  while (tokens[at]?.tokenType === Identifier || tokens[at]?.tokenType === Dot) at += 1;
  const isNamed = at > index + (clauses.has(next.image) ? 2 : 1);
  if (tokens[at]?.tokenType === Newline) at += 1;
  return isHeader && isNamed && tokens[at]?.tokenType === LeftBrace;
}

function lineBegin(tokens: readonly Token[], index: number): number {
  let at = index;
  while (at > 0 && (tokens[at - 1]?.tokenType === Identifier || tokens[at - 1]?.tokenType === Dot)) at -= 1;
  return at;
}
