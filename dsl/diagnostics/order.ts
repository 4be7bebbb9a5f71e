import type { Diagnostic, Severity } from "./diagnostic.ts";

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** By file (as they first occur), place and severity; what is said twice of one place is said once. */
export function ordered(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const files = new Map<string, number>();
  const seen = new Set<string>();
  const kept: Diagnostic[] = [];
  for (const diagnostic of diagnostics) {
    const { path } = diagnostic.span.source;
    if (!files.has(path)) files.set(path, files.size);
    const key = `${path}\0${diagnostic.span.start}\0${diagnostic.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push(diagnostic);
  }
  const file = (diagnostic: Diagnostic): number => files.get(diagnostic.span.source.path) ?? 0;
  return kept.sort(
    (a, b) =>
      file(a) - file(b) ||
      a.span.start - b.span.start ||
      ranks[a.severity] - ranks[b.severity] ||
      a.span.end - b.span.end,
  );
}
