import { mergeConflict } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../source/source.ts";

const marker = /^(?:<{7}|>{7}|\|{7}(?!\|)|={7}(?=[ \t]*\r?$))(?=[ \t\r]|$)[^\r\n]*/gm;

/**
 * Reads over what a merge has left: the text with the first of both sides alone, the rest being blanks, so that offsets
 * stay. A line of equals signs is a marker only between two others.
 */
export function withoutConflicts(source: Source, out: Diagnostic[]): string {
  const { text } = source;
  if (!text.includes("<<<<<<<") && !text.includes(">>>>>>>")) return text;
  let opening: Span | null = null;
  /** Where what is left out begins: the second side, or what both come from. */
  let other: Span | null = null;
  let middle: Span | null = null;
  let read = "";
  const blank = (start: number, end: number): void => {
    read += text.slice(read.length, start) + text.slice(start, end).replaceAll(/[^\r\n]/g, " ");
  };
  for (const match of text.matchAll(marker)) {
    const span: Span = { source, start: match.index, end: match.index + match[0].length };
    const sign = match[0].charAt(0);
    if (opening === null) {
      if (sign !== "<" && sign !== ">") continue;
      blank(span.start, span.end);
      if (sign === "<") opening = span;
      else out.push(mergeConflict(span, {}, { fixes: [{ title: "remove it", edits: [{ span, newText: "" }] }] }));
    } else if (sign === ">") {
      blank((other ?? span).start, span.end);
      const fixes = other === null || middle === null ? [] : sides(opening, other, middle, span);
      out.push(mergeConflict(opening, {}, { related: [{ message: "it ends here", span }], fixes }));
      [opening, other, middle] = [null, null, null];
    } else {
      other ??= span;
      if (sign === "=") middle = span;
    }
  }
  if (opening !== null) out.push(mergeConflict(opening, {}));
  return read + text.slice(read.length);
}

function sides(opening: Span, other: Span, middle: Span, closing: Span): Fix[] {
  const { source } = opening;
  const without = (from: Span, to: Span) => ({
    span: { source, start: from.start, end: Math.min(source.text.length, to.end + 1) },
    newText: "",
  });
  return [
    { title: "keep the first side", edits: [without(opening, opening), without(other, closing)] },
    { title: "keep the second side", edits: [without(opening, middle), without(closing, closing)] },
  ];
}
