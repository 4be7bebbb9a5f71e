import type { Position, Range } from "vscode-languageserver";
import { lineStartsOf, positionAt, type Source, type Span } from "../source/source.ts";

export function rangeOf(span: Span): Range {
  return { start: positionAt(span.source, span.start), end: positionAt(span.source, span.end) };
}

/** The offset of a position; beyond the end of a line it is the end of that line. */
export function offsetAt(source: Source, { line, character }: Position): number {
  const starts = lineStartsOf(source);
  const start = starts[line];
  if (start === undefined) return source.text.length;
  const next = starts[line + 1];
  const end =
    next === undefined ? source.text.length : next - (source.text.slice(start, next).endsWith("\r\n") ? 2 : 1);
  return Math.max(0, Math.min(start + character, end));
}

export const textOf = (span: Span): string => span.source.text.slice(span.start, span.end);

export const contains = (span: Span, offset: number): boolean => span.start <= offset && offset <= span.end;
