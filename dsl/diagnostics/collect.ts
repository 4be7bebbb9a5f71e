/** Diagnostics as they are reported, each of them once. */
import type { Diagnostic } from "./diagnostic.ts";

export interface Collected {
  readonly diagnostics: Diagnostic[];
  readonly report: (diagnostic: Diagnostic) => void;
}

export function collect(first: readonly Diagnostic[]): Collected {
  const diagnostics = [...first];
  const seen = new Set<string>();
  return {
    diagnostics,
    report: (diagnostic) => {
      const { code, span, message } = diagnostic;
      const key = `${code}\0${span.source.path}\0${span.start}\0${span.end}\0${message}`;
      if (!seen.has(key)) diagnostics.push(diagnostic);
      seen.add(key);
    },
  };
}
