/** Where a string ends: its quotes, and interpolations with strings of their own inside. */
import { lineStart } from "../source/line-start.ts";

export interface Scanned {
  readonly end: number;
  readonly closed: boolean;
}

/** Strings in interpolations of strings: nobody nests deeper, and the scan must end. */
const deepest = 16;

const quotes = new Set(['"', "'", "‘", "’", "“", "”", "„", "«", "`"]);

const curly = new Set(["”", "“", "»"]);

const closing: Readonly<Record<string, string>> = {
  ...{ "'": "'", "‘": "’", "’": "’", "“": "”", "”": "”" },
  ...{ "„": "“", "«": "»" },
};

/** A Chevrotain pattern. The payload of a string on one line without `\\`, `$` and NUL, which most are, is its text. */
export function matchString(text: string, offset: number): ([string] & { payload?: string }) | null {
  const end = plainEnd(text, offset);
  if (end !== null) {
    const matched: [string] & { payload?: string } = [text.slice(offset, end)];
    matched.payload = text.slice(offset + 1, end - 1);
    return matched;
  }
  // Chevrotain asks for characters of the same block as well.
  if (!quotes.has(text[offset] ?? "")) return null;
  return [text.slice(offset, scanString(text, offset).end)];
}

/** Where a string ends that is its text; `null` where it has to be read further. */
export function plainEnd(text: string, offset: number): number | null {
  if (text.charCodeAt(offset) !== 34) return null;
  for (let at = offset + 1; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34:
        return at === offset + 1 && text.charCodeAt(at + 1) === 34 ? null : at + 1;
      case 0:
      case 10:
      case 13:
      case 36:
      case 92:
        return null;
      default:
    }
  }
  return null;
}

/** Scans the string that opens at `start`, with any kind of quote. An unclosed one ends with its line. */
export function scanString(text: string, start: number, depth = 0): Scanned {
  const quote = text[start] ?? "";
  if (quote !== '"') return scanForeign(text, start + 1, closing[quote] ?? quote);
  const multiline = text.startsWith('"""', start);
  const scanned = multiline ? scanUntil(text, start + 3, '"""', depth) : scanUntil(text, start + 1, '"', depth);
  if (scanned.closed || depth > 0) return scanned;
  if (multiline) return { end: endOfDeeper(text, start), closed: false };
  const half = text.slice(start + 1, scanned.end).search(/[“”](?=\s*(?:[,)\]}]|$))/);
  if (half >= 0) return { end: start + half + 2, closed: false };
  const end = closedBelow(text, scanned.end) ?? beforeClosers(text, start + 1, scanned.end);
  return { end, closed: false };
}

/** A text of several lines: below are lines that are no members, then one whose only quote ends a value. */
function closedBelow(text: string, from: number): number | null {
  const lines = /(?:\r\n|\n|\r)([^\r\n]*)/y;
  lines.lastIndex = from;
  for (let count = 0; count < mostLines; count++) {
    const line = lines.exec(text);
    if (line === null) return null;
    const [before = "", behind, ...others] = (line[1] ?? "").split('"');
    if (others.length > 0 || /^\s*(?:[\w.]+\s*[={:]|[}\])]|\/\/)/.test(before)) return null;
    if (behind === undefined) continue;
    const isEnd = /^\s*(?:[,)\]}].*)?$/.test(behind) && !/[=([,:+]\s*$/.test(before);
    return isEnd ? line.index + line[0].indexOf('"') + 1 : null;
  }
  return null;
}

/** How long a text that no quotes close is looked for in. */
const mostLines = 40;

/** Where the lines below `start` that stand deeper than its own end: the text that no quotes close is there. */
function endOfDeeper(text: string, start: number): number {
  const indent = /^[ \t]*/.exec(text.slice(lineStart(text, start), start))?.[0].length ?? 0;
  const lines = /\n([ \t]*)(?=[^\s])/g;
  lines.lastIndex = start;
  for (let line = lines.exec(text); line !== null; line = lines.exec(text)) {
    if ((line[1] ?? "").length <= indent) return start + text.slice(start, line.index).trimEnd().length;
  }
  return text.length;
}

/** Brackets at the end of a line that nothing in the string opens close what stands around it. */
function beforeClosers(text: string, from: number, to: number): number {
  let end = to;
  for (;;) {
    const trimmed = from + text.slice(from, end).trimEnd().length;
    const opener = openers[text[trimmed - 1] ?? ""];
    if (opener === undefined || trimmed <= from) return trimmed;
    const inside = text.slice(from, trimmed);
    if (inside.split(opener).length >= inside.split(text[trimmed - 1] ?? "").length) return trimmed;
    end = trimmed - 1;
  }
}

const openers: Readonly<Record<string, string>> = { "}": "{", ")": "(", "]": "[" };

/** The offset of the `}` that closes the `${` at `start`, or `null`. */
export function scanInterpolation(text: string, start: number, multiline: boolean, depth = 0): number | null {
  let braces = 0;
  for (let at = start + 2; at < text.length; at++) {
    const char = text[at];
    if (char === "{") braces += 1;
    else if (char === "}") {
      if (braces === 0) return at;
      braces -= 1;
    } else if (char === "\n" || char === "\r") {
      if (!multiline) return null;
    } else if (char === '"') {
      if (depth >= deepest || (multiline && text.startsWith('"""', at))) return null;
      const inner = scanString(text, at, depth + 1);
      if (!inner.closed) return null;
      at = inner.end - 1;
    }
  }
  return null;
}

function scanUntil(text: string, from: number, quote: string, depth: number): Scanned {
  const multiline = quote.length === 3;
  let interpolates = true;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '"' && (!multiline || text.startsWith(quote, at))) {
      return { end: at + quote.length, closed: interpolates || depth === 0 };
    }
    if (char === "\\" && !isLineEnd(text[at + 1])) at += 1;
    else if (!multiline && isLineEnd(char)) return { end: at, closed: false };
    else if (interpolates && char === "$" && text[at + 1] === "{") {
      const end = scanInterpolation(text, at, multiline, depth);
      if (end === null) interpolates = false;
      else at = end;
    }
  }
  return { end: text.length, closed: false };
}

/** An editor turns the quotes of a text, or only the first of them: then the straight one that no other follows ends it. */
function scanForeign(text: string, from: number, quote: string): Scanned {
  let straight = 0;
  let firstStraight = -1;
  for (let at = from; at < text.length && !isLineEnd(text[at]); at++) {
    if (text[at] === "\\" && !isLineEnd(text[at + 1])) at += 1;
    else if (text[at] === '"') {
      straight += 1;
      if (firstStraight < 0) firstStraight = at;
    } else if (text[at] === quote) {
      if (straight % 2 === 0) return { end: at + 1, closed: true };
      break;
    }
  }
  if (firstStraight >= 0 && curly.has(quote)) return { end: firstStraight + 1, closed: true };
  const lineEnd = from + text.slice(from).search(/[\r\n]|$/);
  return { end: lineEnd, closed: false };
}

function isLineEnd(char: string | undefined): boolean {
  return char === "\n" || char === "\r";
}
