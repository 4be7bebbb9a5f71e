import { controlPicture } from "./control-picture.ts";
import { lineStartsOf, positionAt, type Span } from "../source/source.ts";
import { columnsOf } from "./columns.ts";

/** One line of an excerpt: the text as a terminal shows it, and the columns to underline. */
export interface ExcerptLine {
  /** One-based; `null` for lines left out. */
  readonly number: number | null;
  readonly text: string;
  readonly from: number;
  readonly width: number;
}

/** Of a longer span only the ends are shown. */
const mostLines = 4;
const tabStop = 4;

/** The lines that a span touches, cropped to `columns`. */
export function excerpt(span: Span, columns: number): readonly ExcerptLine[] {
  const first = positionAt(span.source, span.start);
  const last = lastPosition(span, first.line);
  const shown = (line: number): ExcerptLine => {
    const text = lineText(span, line);
    const from = line === first.line ? first.character : text.length - text.trimStart().length;
    const to = line === last.line ? last.character : text.length;
    return crop(line + 1, text, from, Math.max(from, to), columns);
  };
  if (last.line - first.line < mostLines) {
    return Array.from({ length: last.line - first.line + 1 }, (_, index) => shown(first.line + index));
  }
  const gap: ExcerptLine = { number: null, text: "", from: 0, width: 0 };
  return [shown(first.line), shown(first.line + 1), gap, shown(last.line)];
}

/** A span that ends with a line break does not touch the line after it. */
function lastPosition(span: Span, firstLine: number): { readonly line: number; readonly character: number } {
  const end = positionAt(span.source, Math.max(span.start, span.end));
  if (end.character > 0 || end.line === firstLine) return end;
  return { line: end.line - 1, character: lineText(span, end.line - 1).length };
}

function lineText(span: Span, line: number): string {
  const starts = lineStartsOf(span.source);
  return span.source.text
    .slice(starts[line], starts[line + 1])
    .replace(/^\ufeff/, " ")
    .replace(/[\r\n]+$/, "");
}

function crop(number: number, text: string, from: number, to: number, columns: number): ExcerptLine {
  const before = shownText(text.slice(0, from), 0);
  const marked = shownText(text.slice(from, to), columnsOf(before));
  const after = shownText(text.slice(to), columnsOf(before) + columnsOf(marked));
  const start = columnsOf(before);
  const width = Math.max(1, columnsOf(marked));
  if (start + columnsOf(marked) + columnsOf(after) <= columns) {
    return { number, text: before + marked + after, from: start, width };
  }
  const room = columns - 2;
  const lead = start + Math.min(width, 20) <= room ? start : Math.min(start, 30);
  const head = lead === start ? before : `…${tail(before, lead - 1)}`;
  const rest = take(marked + after, room - columnsOf(head));
  const cut = rest.length < (marked + after).length ? "…" : "";
  const at = columnsOf(head);
  return { number, text: head + rest + cut, from: at, width: Math.max(1, Math.min(width, columns - at)) };
}

/** Tabs as blanks, other control characters as one visible sign each. */
function shownText(text: string, column: number): string {
  if (!/\p{Cc}/u.test(text)) return text;
  let result = "";
  for (const char of text) {
    if (char === "\t") result += " ".repeat(tabStop - ((column + columnsOf(result)) % tabStop));
    else result += /\p{Cc}/u.test(char) ? controlPicture(char) : char;
  }
  return result;
}

function take(text: string, columns: number): string {
  let result = "";
  let used = 0;
  for (const char of text) {
    used += columnsOf(char);
    if (used > columns) break;
    result += char;
  }
  return result;
}

function tail(text: string, columns: number): string {
  const chars = [...text];
  let used = 0;
  let at = chars.length;
  while (at > 0 && used + columnsOf(chars[at - 1] ?? "") <= columns) used += columnsOf(chars[--at] ?? "");
  return chars.slice(at).join("");
}
