import type { Source, Span } from "../../dsl/source/source.ts";

/** One word of a command line, as a shell or a list of ours hands it over. */
export interface Word {
  /** `null` where the text isn't known before the start, such as a variable of the job. */
  readonly text: string | null;
  /** Where it was written. */
  readonly span: Span;
}

/** Words with blanks between them, as one line of a source. */
export function wordsOf(path: string, texts: readonly string[]): readonly Word[] {
  const source: Source = { path, text: texts.join(" ") };
  let start = 0;
  return texts.map((text) => {
    const span = { source, start, end: start + text.length };
    start = span.end + 1;
    return { text, span };
  });
}
