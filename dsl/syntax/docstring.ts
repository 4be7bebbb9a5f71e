/** `"""What it is."""` on a line of its own: Python's documentation, which stands above a block here. */
import { foreignForm } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Edit } from "../diagnostics/diagnostic.ts";
import { endOf, type Token } from "../lexer/token.ts";
import { LeftBrace, Separator, StringToken } from "../lexer/vocabulary.ts";
import { lineAround } from "../source/line-around.ts";
import type { Source, Span } from "../source/source.ts";

/** `null` where the text is one word or part of a line: it may be anything. */
export function docstring(source: Source, tokens: readonly Token[], index: number): Diagnostic | null {
  const token = tokens[index];
  if (token?.tokenType !== StringToken || typeof token.payload !== "string") return null;
  const isLong = token.image.startsWith('"""');
  if (!isLong && !/\S\s+\S/.test(token.payload)) return null;
  const span: Span = { source, start: token.startOffset, end: endOf(token) };
  const own = lineAround(source.text, span.start).before;
  if (/\S/.test(own) || /^[ \t]*[^ \t\r\n]/.test(source.text.slice(span.end))) return null;
  const lines = token.payload.trim().split(/\r\n|\n|\r/);
  const written = isLong ? '"""…"""' : token.image;
  const instead = "what a block is for stands above it, behind `///`";
  const at = documented(source, tokens, index);
  if (at === null) return foreignForm(span, { written, instead });
  const { before: indent } = lineAround(source.text, at);
  const newText = lines.map((line) => `/// ${line}`.trimEnd()).join(`\n${indent}`);
  const edits: readonly Edit[] =
    at === span.start
      ? [{ span, newText }]
      : [
          { span: { source, start: at, end: at }, newText: `${newText}\n${indent}` },
          { span: wholeLines(span), newText: "" },
        ];
  return foreignForm(span, { written, instead }, { fixes: [{ title: "write it behind `///`", edits }] });
}

/** Where the documentation goes: what begins a block documents that one. `null` where its line begins with something else. */
function documented(source: Source, tokens: readonly Token[], index: number): number | null {
  let open = index - 1;
  while (tokens[open]?.tokenType === Separator) open -= 1;
  if (tokens[open]?.tokenType !== LeftBrace) return tokens[index]?.startOffset ?? null;
  while (open > 0 && tokens[open - 1]?.tokenType !== Separator && tokens[open - 1]?.tokenType !== LeftBrace)
    open -= 1;
  const start = tokens[open]?.startOffset ?? 0;
  return /\S/.test(lineAround(source.text, start).before) ? null : start;
}

function wholeLines({ source, start, end }: Span): Span {
  const before = lineAround(source.text, start).before.length;
  const behind = /^[ \t]*(?:\r\n|\n|\r)?/.exec(source.text.slice(end))?.[0].length ?? 0;
  return { source, start: start - before, end: end + behind };
}
