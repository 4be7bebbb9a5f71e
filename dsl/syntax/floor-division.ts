/** `width // 64`: Python's division without a remainder, which reads here as a value and a comment. */
import { commentedNumber } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, type Token } from "../lexer/token.ts";
import { lineStart } from "../source/line-start.ts";
import type { Source } from "../source/source.ts";

export function readFloorDivisions(source: Source, comments: readonly Token[], out: Diagnostic[]): void {
  for (const comment of comments) {
    const divisor = /^\/\/[ \t]*(\d[\d_]*)[ \t)\]},]*$/.exec(comment.image)?.[1];
    if (divisor === undefined) continue;
    const { text } = source;
    const { startOffset: start } = comment;
    const value = /[=(,[]\s*([\w.]*[\w)\]])[ \t]*$/.exec(text.slice(lineStart(text, start), start))?.[1];
    if (value === undefined) continue;
    const whole = {
      source,
      start: text.lastIndexOf(value, start),
      end: start + comment.image.indexOf(divisor) + divisor.length,
    };
    const newText = `floor(${value} / ${divisor})`;
    const fixes = /^[\w.]+$/.test(value)
      ? [{ title: `write \`${newText}\``, edits: [{ span: whole, newText }] }]
      : [];
    const span = { source, start, end: endOf(comment) };
    out.push(commentedNumber(span, { comment: comment.image.trimEnd(), value }, { fixes }));
  }
}
