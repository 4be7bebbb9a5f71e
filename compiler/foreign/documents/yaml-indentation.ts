/**
 * YAML 1.2 wants what stands in brackets or quotes further in than its key, and js-yaml holds files to that. PyYAML and Go's
 * reader do not ask there, so such a line is moved to the right before it is read; its places stay those of the file.
 */
import { type Event, parseEvents, YAMLException } from "js-yaml";
import type { Text } from "../shell/text.ts";

/** Further in than any key of a file that is read. */
const blanks = " ".repeat(200);

/** Every moved line is one more reading: a long file of them is told as it stands. */
const most = 20_000_000;

export function eventsOf(text: Text): { readonly events: readonly Event[]; readonly text: Text } {
  const moved: number[] = [];
  let read = text.text;
  let first: YAMLException | null = null;
  for (let cost = 0; ; cost += read.length) {
    try {
      return { events: parseEvents(read, { maxDepth: 100 }), text: movedText(text, read, moved) };
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      first ??= error;
      const line = lineToMove(error, read);
      if (line === null || cost > most) throw first;
      moved.push(line - moved.length * blanks.length);
      read = `${read.slice(0, line)}${blanks}${read.slice(line)}`;
    }
  }
}

/** Where the line begins; a mark of documents ends one even in quotes. */
function lineToMove({ reason, mark }: YAMLException, text: string): number | null {
  if (reason !== "deficient indentation" || mark === undefined) return null;
  const start = Math.max(text.lastIndexOf("\n", mark.position - 1), text.lastIndexOf("\r", mark.position - 1)) + 1;
  const isMoved = text.startsWith(blanks, start);
  return isMoved || /^(?:---|\.\.\.)(?:\s|$)/.test(text.slice(start, start + 4)) ? null : start;
}

/** The moved lines come in the order of the file, each where it begins there. */
function movedText(text: Text, read: string, moved: readonly number[]): Text {
  if (moved.length === 0) return text;
  const back = (offset: number): number => {
    const before = moved.findLastIndex((line, at) => line + at * blanks.length <= offset);
    if (before < 0) return offset;
    return Math.max(moved[before] ?? 0, offset - (before + 1) * blanks.length);
  };
  return { text: read, spanOf: (start, end) => text.spanOf(back(start), back(end)) };
}
