/** Nothing that is shown or written holds a secret: not an excerpt of a file either. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Source, Span } from "../../dsl/source/source.ts";

/** Shorter ones would hide words that only look alike. */
const shortest = 6;

/** Replaces secrets by as many stars. */
export function redactor(secrets: readonly string[]): {
  readonly text: (text: string) => string;
  readonly diagnostic: (diagnostic: Diagnostic) => Diagnostic;
} {
  const long = [...new Set(secrets.filter((one) => one.length >= shortest))].sort((a, b) => b.length - a.length);
  const text = (from: string): string =>
    long.reduce((hidden, secret) => hidden.replaceAll(secret, "*".repeat(secret.length)), from);
  const sources = new Map<Source, Source>();
  const source = (from: Source): Source => {
    const known = sources.get(from);
    if (known !== undefined) return known;
    const hidden = { ...from, text: text(from.text) };
    sources.set(from, hidden);
    return hidden;
  };
  const span = (from: Span): Span => ({ ...from, source: source(from.source) });
  return {
    text,
    diagnostic: (diagnostic) =>
      long.length === 0
        ? diagnostic
        : {
            ...diagnostic,
            message: text(diagnostic.message),
            span: span(diagnostic.span),
            related: diagnostic.related.map((one) => ({ message: text(one.message), span: span(one.span) })),
          },
  };
}
