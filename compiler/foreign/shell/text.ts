import type { Source, Span } from "../../../dsl/source/source.ts";
import { withUnknowns } from "./placeholders.ts";
import type { ShellCommand } from "./state.ts";

/** A stretch of text as the shell sees it, with the place where it was written. */
export interface Piece {
  /** `null` where it isn't known before the start. */
  readonly text: string | null;
  readonly span: Span;
  /** Not split into words, nor matched against files. */
  readonly quoted: boolean;
  /** The variable that it came from last. */
  readonly from?: string;
  /** Why the shell that expands it stops there. */
  readonly refused?: string;
  /** Where the text isn't known: what started the shell that would find it, `null` for the script's own. */
  readonly by?: ShellCommand | null;
}

/** Text made of pieces that can be parsed again: the argument of `bash -c`, a here-document. */
export interface Text {
  readonly text: string;
  /** Where a stretch of it was written. */
  readonly spanOf: (start: number, end: number) => Span;
  /** The variable that a stretch of it came from, where another shell put it in. */
  readonly fromOf?: (start: number, end: number) => string | undefined;
  /** The shell that would find what isn't known here, where that isn't the one that reads the text. */
  readonly byOf?: (start: number) => Piece["by"];
}

export function textOf(source: Source): Text {
  return { text: source.text, spanOf: (start, end) => ({ source, start, end }) };
}

/**
 * A script as it is meant where its lines end in CRLF or have places to fill in: each place stays where it is, and rules speak of the
 * carriage returns and of what is to be filled in.
 */
export function scriptText(source: Source): Text {
  const text = source.text.replace(/\\\r\n/g, " \\\n").replace(/\r\n/g, " \n");
  return { ...textOf(source), text: withUnknowns(text) };
}

/** Begins names that no script sets: what they expand to stays unknown when the text is read again. Behind it stands whose value it is. */
const holeName = "cdr_unknown";
export const holes = /\$\{cdr_unknown\w*\}/g;
export const hasHole = (text: string): boolean => text.includes(`\${${holeName}`);

function holeOf(from: string | undefined): string {
  if (from === undefined || !/^\w+$/.test(from)) return `\${${holeName}}`;
  return from.startsWith(holeName) ? `\${${from}}` : `\${${holeName}_${from}}`;
}

/** The variable whose value is unknown, where a name stands for it. */
export function unknownOf(name: string): string | undefined {
  if (!name.startsWith(holeName)) return name;
  return name === holeName ? undefined : name.slice(holeName.length + 1);
}

export function joined(pieces: readonly Piece[]): Text {
  const starts: number[] = [];
  let text = "";
  for (const piece of pieces) {
    starts.push(text.length);
    text += piece.text ?? holeOf(piece.from);
  }
  const pieceAt = (offset: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const spanOf = (start: number, end: number): Span => {
    const first = pieceAt(start);
    const last = pieceAt(Math.max(start, end - 1));
    const begin = part(pieces[first] as Piece, start - (starts[first] as number), Infinity);
    if (first === last)
      return part(pieces[first] as Piece, start - (starts[first] as number), end - (starts[first] as number));
    const finish = part(pieces[last] as Piece, 0, end - (starts[last] as number));
    return begin.source === finish.source && begin.start <= finish.end
      ? { source: begin.source, start: begin.start, end: finish.end }
      : begin;
  };
  const fromOf = (start: number, end: number): string | undefined => {
    for (let at = pieceAt(start); at < pieces.length && (starts[at] as number) < end; at++) {
      const { text, from } = pieces[at] as Piece;
      if (from !== undefined && text !== "") return from;
    }
    return undefined;
  };
  const byOf = (start: number): Piece["by"] => pieces[pieceAt(start)]?.by;
  return {
    text,
    spanOf,
    ...(pieces.some(({ from }) => from !== undefined) ? { fromOf } : {}),
    ...(pieces.some(({ by }) => by !== undefined) ? { byOf } : {}),
  };
}

/** A stretch of a piece; all of it where its text isn't what stands in the file. */
function part({ text, span }: Piece, start: number, end: number): Span {
  if (text === null || text.length !== span.end - span.start) return span;
  return { source: span.source, start: span.start + start, end: span.start + Math.min(end, text.length) };
}

/** A piece cut out of another. */
export function cut(piece: Piece, start: number, end: number): Piece {
  return { ...piece, text: piece.text === null ? null : piece.text.slice(start, end), span: part(piece, start, end) };
}

/** The text of pieces, or `null` where a part of it is unknown. */
export function plain(pieces: readonly Piece[]): string | null {
  let text = "";
  for (const piece of pieces) {
    if (piece.text === null) return null;
    text += piece.text;
  }
  return text;
}
