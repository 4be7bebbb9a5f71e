import { unknownAmendment } from "../catalog/names.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { isSyntax } from "./broken.ts";
import { lineOf } from "./statements.ts";

/** The same mistake several times on a line, or on lines in a row, is one message, whose fix mends them all. */
export function together(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const result: Diagnostic[] = [];
  /** By file and kind of mistake: the message that speaks for a run of lines, and the last of them. */
  const runs = new Map<string, { readonly index: number; line: number }>();
  for (const diagnostic of diagnostics) {
    const key = `${diagnostic.span.source.path}\0${sort(diagnostic)}`;
    const line = lineOf(diagnostic);
    const isAnywhere = diagnostic.code === unknownAmendment.code;
    const run = isSyntax(diagnostic) || isAnywhere ? runs.get(key) : undefined;
    const first = result[run?.index ?? -1];
    const isApart = run !== undefined && !isAnywhere && (line > run.line + 1 || line < run.line);
    if (run === undefined || first === undefined || isApart) {
      runs.set(key, { index: result.length, line });
      result.push(diagnostic);
      continue;
    }
    const isNewLine = line > run.line;
    run.line = line;
    const related = isNewLine ? [{ message: "here too", span: diagnostic.span }] : [];
    result[run.index] = { ...joined(first, diagnostic), related: [...first.related, ...related] };
  }
  return result;
}

/** Text that is no member at all has several codes, by what it happens to look like; one name is one mistake. */
function sort({ code, span: { source, start, end } }: Diagnostic): string {
  if (code === unknownAmendment.code) return source.text.slice(start, end);
  return /^cdr\/syntax-(unexpected|separator|member)$/.test(code) ? "unreadable" : code;
}

function joined(first: Diagnostic, second: Diagnostic): Diagnostic {
  if (first.code !== second.code || second.fixes.length === 0) return first;
  const fixes = first.fixes
    .slice(0, second.fixes.length)
    .map(({ title, edits }, index) => ({ title, edits: [...edits, ...(second.fixes[index]?.edits ?? [])] }));
  return { ...first, fixes };
}
