/** Brackets over several lines, runs of imports and of comments. */
import { type FoldingRange, FoldingRangeKind, FoldingRangeRequest } from "vscode-languageserver";
import { lex } from "../../lexer/lex.ts";
import { closerOf, isCloser } from "../../syntax/brackets/closers.ts";
import { feature, viewOf } from "../feature.ts";
import { positionAt, type Source } from "../../source/source.ts";

export const folding = feature(
  FoldingRangeRequest.type,
  { foldingRangeProvider: true },
  (workspace, { textDocument }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const { file } = view.module;
    const { tokens, comments } = lex(file.source);
    const line = (offset: number) => positionAt(file.source, offset).line;
    const found: FoldingRange[] = [];
    const open: number[] = [];
    for (const token of tokens) {
      if (closerOf(token.tokenType) !== undefined) open.push(token.startOffset);
      else if (isCloser(token.tokenType)) {
        const start = open.pop();
        if (start !== undefined && line(token.startOffset) > line(start) + 1)
          found.push({ startLine: line(start), endLine: line(token.startOffset) - 1 });
      }
    }
    const imports = file.statements.filter((s) => s.kind === "import").map((s) => line(s.span.start));
    return [
      ...found,
      ...runs(imports).map(([startLine, endLine]) => ({ startLine, endLine, kind: FoldingRangeKind.Imports })),
      ...runs(comments.filter((c) => opensLine(file.source, c.startOffset)).map((c) => line(c.startOffset))).map(
        ([startLine, endLine]) => ({ startLine, endLine, kind: FoldingRangeKind.Comment }),
      ),
    ];
  },
);

const opensLine = (source: Source, offset: number): boolean =>
  /(?:^|[\r\n])[ \t]*$/.test(source.text.slice(Math.max(0, offset - 200), offset));

/** First and last of consecutive lines, where there are at least two. */
function runs(lines: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else found.push([line, line]);
  }
  return found.filter(([first, last]) => last > first);
}
