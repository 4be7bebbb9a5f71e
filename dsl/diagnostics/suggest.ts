import type { Span } from "../source/source.ts";
import type { Details, Fix } from "./diagnostic.ts";
import { nearest } from "./nearest.ts";

/** Valid values, and the nearest of them as a fix that replaces `span`. */
export function suggest(span: Span, written: string, valid: readonly string[]): Details {
  const best = nearest(written, valid);
  return { valid: [...valid].sort(), fixes: best === null ? [] : [replacement(span, best)] };
}

/** A fix that puts `text` where `span` is. */
export function replacement(span: Span, text: string, title = `write \`${text}\``): Fix {
  return { title, edits: [{ span, newText: text }] };
}
