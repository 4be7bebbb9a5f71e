/** One text the compiler reads: a file, an unsaved buffer, or the value of a `--set`. */
export interface Source {
  /** How messages name it: relative to where the user stands, or `std/clusters`, or `--set batch`. */
  readonly path: string;
  readonly text: string;
}

/** A stretch of a source, in UTF-16 offsets; `end` is exclusive. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

/** A position as the Language Server Protocol counts: zero-based line and UTF-16 character. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

const lineStarts = new WeakMap<Source, readonly number[]>();

/** Offsets at which the lines of a source begin (`\n`, `\r\n` and `\r` all end a line). */
export function lineStartsOf(source: Source): readonly number[] {
  let starts = lineStarts.get(source);
  if (starts === undefined) {
    starts = [0, ...[...source.text.matchAll(/\r\n|\n|\r/g)].map((m) => m.index + m[0].length)];
    lineStarts.set(source, starts);
  }
  return starts;
}

/** The position of an offset. */
export function positionAt(source: Source, offset: number): Position {
  const starts = lineStartsOf(source);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low, character: offset - (starts[low] ?? 0) };
}

/** The smallest span that holds both; they belong to one source. */
export function cover(a: Span, b: Span): Span {
  return { source: a.source, start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
}

/** A word of the command line, as a place to point at. */
export function ofCommandLine(option: string, word: string): Span {
  return { source: { path: option, text: word }, start: 0, end: word.length };
}
