/** What laying out changes, as the smallest edits: only blanks, line breaks and commas between what stays. */
import type { Edit } from "../diagnostics/diagnostic.ts";
import type { Source } from "../source/source.ts";
import { parse } from "../syntax/parse.ts";
import { format } from "./format.ts";
import type { Lexeme } from "./lexeme.ts";
import { marksOf } from "./marks.ts";

/** The edits that lay a file out, or the stretch of it from `start` to `end`; none where it cannot be read. */
export function formatEdits(source: Source, start = 0, end = source.text.length): readonly Edit[] {
  const { text } = format(source);
  if (text === source.text) return [];
  const before = pieces(source);
  const after = pieces({ ...source, text });
  if (before.length !== after.length) return [];
  const edits: Edit[] = [];
  const change = (from: number, to: number, newText: string): void => {
    const old = source.text.slice(from, to);
    if (old === newText) return;
    if (from >= start && to <= end) return void edits.push({ span: { source, start: from, end: to }, newText });
    if (to < start || from > end) return;
    // Of lines that lie partly outside, what ends the one and what indents the next are laid out by themselves.
    const [head, was] = [/^[^\r\n]*(?=[\r\n])/.exec(old), /^[^\r\n]*(?=[\r\n])/.exec(newText)];
    const [tail, is] = [/(?<=[\r\n])[^\r\n]*$/.exec(old), /(?<=[\r\n])[^\r\n]*$/.exec(newText)];
    if (head === null || was === null || tail === null || is === null) return;
    for (const [at, before, after] of [
      [from, head[0], was[0]],
      [to - tail[0].length, tail[0], is[0]],
    ] as const)
      if (at >= start && at + before.length <= end && before !== after)
        edits.push({ span: { source, start: at, end: at + before.length }, newText: after });
  };
  for (const [index, piece] of before.entries()) {
    const next = after[index];
    if (next === undefined) break;
    change(before[index - 1]?.end ?? 0, piece.start, text.slice(after[index - 1]?.end ?? 0, next.start));
    change(piece.start, piece.end, text.slice(next.start, next.end));
  }
  change(before.at(-1)?.end ?? 0, source.text.length, text.slice(after.at(-1)?.end ?? 0));
  return edits;
}

/** Every lexeme but the commas, which line breaks stand for. */
function pieces(source: Source): readonly Lexeme[] {
  return (marksOf(parse(source).file)?.lexemes ?? []).filter(
    (lexeme) => lexeme.kind !== "sign" || lexeme.text !== ",",
  );
}
