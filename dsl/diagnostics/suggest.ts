import type { Span } from "../source/source.ts";
import type { Details, Fix } from "./diagnostic.ts";
import { nearest } from "./nearest.ts";

/** Valid values, and the nearest of them as a fix that replaces `span`. */
export function suggest(span: Span, written: string, valid: readonly string[]): Details {
  return suggestion(span, nearest(written, valid), valid);
}

/** The same where the nearest is known. */
export function suggestion(span: Span, best: string | null, valid: readonly string[]): Details {
  return { valid: [...valid].sort(), fixes: best === null ? [] : [replacement(span, best)] };
}

/** A fix that removes what stands at `span`, with its line where nothing else is on it. */
export function removal(span: Span): Fix {
  const { text } = span.source;
  const before = /[ \t]*$/.exec(text.slice(0, span.start))?.[0].length ?? 0;
  const comma = /^[ \t]*,?[ \t]*/.exec(text.slice(span.end))?.[0].length ?? 0;
  const lineStart = span.start - before;
  const newline = /^(?:\r\n|\n|\r|$)/.exec(text.slice(span.end + comma));
  const isAlone = newline !== null && (lineStart === 0 || /[\r\n]/.test(text[lineStart - 1] ?? ""));
  const at = isAlone
    ? { ...span, start: lineStart, end: span.end + comma + newline[0].length }
    : { ...span, end: span.end + comma };
  return { title: isAlone ? "remove this line" : "remove it", edits: [{ span: at, newText: "" }] };
}

/** A fix that puts `text` where `span` is. */
export function replacement(span: Span, text: string, title = `write \`${text}\``): Fix {
  return { title, edits: [{ span, newText: text }] };
}
