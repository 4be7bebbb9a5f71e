/** The text of a value in a file. */
import type { Span } from "../../../../dsl/source/source.ts";

/** A place that somebody fills in before the file is read: `${seed}`, `{{ seed }}`, `<seed>`, OmegaConf's `???`. */
export const isFilledIn = (text: string): boolean => /\$\{|\{\{|^<.*>$|^\?\?\?$|^\[[A-Z][A-Z_ ]*\]$/.test(text);

/** The value with the quotes around it, if there are any. */
export function withQuotes(span: Span): Span {
  const { source, start, end } = span;
  const quote = /["']/.exec(source.text[start - 1] ?? "")?.[0];
  return quote !== undefined && source.text[end] === quote ? { ...span, start: start - 1, end: end + 1 } : span;
}
