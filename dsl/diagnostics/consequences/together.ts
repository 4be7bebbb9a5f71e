import { unknownAmendment } from "../catalog/names.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { isSyntax } from "./broken.ts";
import { lineOf } from "./statements.ts";

/** Messages that one is shown for: the first, and its like on the same line and on lines in a row. */
interface Run {
  readonly all: Diagnostic[];
  /** Those of them that begin a line. */
  readonly lines: Diagnostic[];
  last: number;
}

/** The same mistake several times on a line, or on lines in a row, is one message, whose fix mends them all. */
export function together(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const result: Run[] = [];
  /** By file and kind of mistake. */
  const open = new Map<string, Run>();
  for (const diagnostic of diagnostics) {
    const key = `${diagnostic.span.source.path}\0${sort(diagnostic)}`;
    const line = lineOf(diagnostic);
    const isAnywhere = diagnostic.code === unknownAmendment.code;
    const run = isSyntax(diagnostic) || isAnywhere ? open.get(key) : undefined;
    if (run === undefined || (!isAnywhere && (line > run.last + 1 || line < run.last))) {
      const begun = { all: [diagnostic], lines: [], last: line };
      open.set(key, begun);
      result.push(begun);
      continue;
    }
    run.all.push(diagnostic);
    if (line > run.last) run.lines.push(diagnostic);
    run.last = line;
  }
  return result.flatMap(joined);
}

/** Text that is no member at all has several codes, by what it happens to look like; one name is one mistake. */
function sort({ code, span: { source, start, end } }: Diagnostic): string {
  if (code === unknownAmendment.code) return source.text.slice(start, end);
  return /^cdr\/syntax-(unexpected|separator|member)$/.test(code) ? "unreadable" : code;
}

function joined({ all: [first, ...more], lines }: Run): readonly Diagnostic[] {
  if (first === undefined || more.length === 0) return first === undefined ? [] : [first];
  const here = lines.map(({ span }) => ({ message: "here too", span }));
  const like = more.filter(({ code, fixes }) => code === first.code && fixes.length > 0);
  const least = Math.min(first.fixes.length, ...like.map(({ fixes }) => fixes.length));
  const fixes = first.fixes.slice(0, least).map(({ title, edits }, index) => ({
    title,
    edits: [...edits, ...like.flatMap((each) => each.fixes[index]?.edits ?? [])],
  }));
  return [{ ...first, fixes, related: [...first.related, ...here] }];
}
