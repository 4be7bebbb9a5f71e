import { positionAt } from "../../source/source.ts";
import type { Diagnostic } from "../diagnostic.ts";

export function lineOf({ span }: Diagnostic): number {
  return positionAt(span.source, span.start).line;
}

export function wordsOf(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

const starts = new WeakMap<readonly string[], readonly number[]>();

/** The line at the margin that begins the statement which a line stands in. */
export function startOfStatement(lines: readonly string[], line: number): number {
  let known = starts.get(lines);
  if (known === undefined) starts.set(lines, (known = startsOf(lines)));
  return known[line] ?? line;
}

function startsOf(lines: readonly string[]): readonly number[] {
  let start = 0;
  return lines.map((text, at) => (indentOf(text) > 0 || /^[\])}]/.test(text) ? start : (start = at)));
}

/** The first line below that does not belong to the block which this line may open. */
export function endOfBlock(lines: readonly string[], first: number): number {
  const indent = indentOf(lines[first] ?? "");
  for (let line = first + 1; line < lines.length; line++) {
    const text = lines[line] ?? "";
    if (text.trim() === "" || indentOf(text) > indent) continue;
    return /^\s*[\])}]/.test(text) ? line + 1 : line;
  }
  return lines.length;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

export const derived = /^\s*(?:abstract\s+)?\w+\s+(\w+)\s+extends\s+(\w+)/;

/** The names that a header may have meant to give; `stage stage train {` leaves two. */
export function declaredOn(line: string): readonly string[] {
  const [, header = ""] = /^\s*(?:abstract\s+)?(\w+\s+\w[\w\s]*?)\s*(?:extends\b.*|\{.*|)$/.exec(line) ?? [];
  return wordsOf(header).slice(1);
}
