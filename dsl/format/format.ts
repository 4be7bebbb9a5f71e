/** Lays a file out: what it says stays the same, comments stay where they are, and laying out again changes nothing. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { errorsIn } from "../diagnostics/diagnostic.ts";
import type { Source } from "../source/source.ts";
import type { File } from "../syntax/ast.ts";
import { parse } from "../syntax/parse.ts";
import { marksOf } from "./marks.ts";
import { nest } from "./nest.ts";
import { print } from "./print.ts";
import { saysTheSame } from "./same.ts";

export interface Formatted {
  /** The text laid out; the text as it was where it cannot be read as a whole. */
  readonly text: string;
  /** Why it cannot be read. */
  readonly diagnostics: readonly Diagnostic[];
}

export function format(source: Source): Formatted {
  const { file, diagnostics } = parse(source);
  if (errorsIn(diagnostics) > 0) return { text: source.text, diagnostics };
  return { text: withLineEnds(source.text, settle(file)), diagnostics: [] };
}

/** What breaks only because it is lined up lines up otherwise once it is broken: two rounds settle it. */
function settle(file: File): string {
  let last = file;
  for (let round = 0; round < 4; round++) {
    const text = once(last);
    if (text === last.source.text) break;
    const read = parse({ ...file.source, text });
    // Never a text that says something else, whatever is wrong with us.
    if (errorsIn(read.diagnostics) > 0 || !saysTheSame(file, read.file)) return file.source.text;
    last = read.file;
  }
  return last.source.text;
}

function once(file: File): string {
  const marks = marksOf(file);
  const entries = marks === null ? null : nest(marks);
  return marks === null || entries === null ? file.source.text : print(entries, marks);
}

/** A file keeps the line ends it has. */
function withLineEnds(before: string, after: string): string {
  return /\r\n/.test(before) && before !== after ? after.replaceAll(/\r\n|\n/g, "\r\n") : after;
}
