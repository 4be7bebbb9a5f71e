/**
 * Hjson as the Python package reads it (hjson 3.1.0: decoder.py), which is what DeepSpeed reads its file with: comments, commas where they
 * please, names and texts without quotes. The library for JavaScript keeps no positions, and differs where the specification is open.
 */
import type { Entry, Located, Scalar } from "./located.ts";
import { isUnknown } from "./unknown.ts";
import type { Text } from "../shell/text.ts";

export type Hjson =
  { readonly root: Located; readonly twice: readonly Twice[] } | { readonly refused: string; readonly at: number };

/** A key that a section has already. */
export interface Twice {
  readonly entry: Entry;
  readonly first: Entry;
}

class Refused extends Error {
  readonly at: number;
  constructor(why: string, at: number) {
    super(why);
    this.at = at;
  }
}

export function readHjson(text: Text, deepest: number): Hjson {
  const twice: Twice[] = [];
  try {
    return { root: decode(text, { deepest, twice }), twice };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { refused: error.message, at: Math.min(error.at, Math.max(0, text.text.length - 1)) };
  }
}

interface Parsed<T> {
  readonly value: T;
  readonly end: number;
}

function decode(
  { text, spanOf }: Text,
  { deepest, twice }: { readonly deepest: number; readonly twice: Twice[] },
): Located {
  const isBlank = (at: number): boolean => " \t\n\r".includes(text[at] ?? "-");

  /** Behind blanks and comments. */
  function next(from: number): number {
    let at = from;
    for (;;) {
      while (isBlank(at)) at++;
      if (text[at] === "#" || text.startsWith("//", at)) {
        while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++;
      } else if (text.startsWith("/*", at)) {
        const close = text.indexOf("*/", at + 2);
        if (close < 0) throw new Refused("a comment that is not closed", at);
        at = close + 2;
      } else return at;
    }
  }

  function valueAt(at: number, depth: number): Parsed<Located> {
    if (at >= text.length) throw new Refused("a value is missing", at);
    if (depth > deepest) throw new Refused(`more than ${deepest} nested values`, at);
    const char = text[at];
    if (char === "{") return section(at, at + 1, depth);
    if (char === "[") return list(at, depth);
    const isBare = char !== '"' && char !== "'";
    const { value, end } = text.startsWith("'''", at) ? lines(at) : isBare ? plain(at) : quoted(at);
    const span = spanOf(at, end);
    const isOpen = typeof value === "string" && (isUnknown(value) || (isBare && isPlaceholder(value)));
    return { value: isOpen ? { kind: "unknown", span } : { kind: "scalar", value, span }, end };
  }

  function section(start: number, from: number, depth: number, isBraced = true): Parsed<Located> {
    const entries = new Map<string, Entry>();
    const all: Entry[] = [];
    let at = next(from);
    while (!(isBraced ? text[at] === "}" : at >= text.length)) {
      const key = name(at);
      const colon = next(key.end);
      if (text[colon] !== ":") throw new Refused("no colon after a key", colon);
      const value = valueAt(next(colon + 1), depth + 1);
      const entry = { key: key.value, keySpan: spanOf(at, key.end), value: value.value };
      const first = entries.get(key.value);
      if (first === undefined) entries.set(key.value, entry);
      else twice.push({ entry, first });
      all.push(entry);
      at = afterComma(value.end);
    }
    const end = isBraced ? at + 1 : at;
    return { value: { kind: "map", entries: all, span: spanOf(start, end) }, end };
  }

  function list(start: number, depth: number): Parsed<Located> {
    const items: Located[] = [];
    let at = next(start + 1);
    while (text[at] !== "]") {
      if (at >= text.length) throw new Refused("a [ that is not closed", start);
      const item = valueAt(at, depth + 1);
      items.push(item.value);
      at = afterComma(item.end);
    }
    return { value: { kind: "list", items, span: spanOf(start, at + 1) }, end: at + 1 };
  }

  const afterComma = (from: number): number => {
    const at = next(from);
    return text[at] === "," ? next(at + 1) : at;
  };

  function name(start: number): Parsed<string> {
    if (text[start] === '"' || text[start] === "'") return quoted(start);
    let space = -1;
    for (let at = start; at < text.length; at++) {
      const char = text[at] ?? "";
      if (char === ":") {
        if (at === start) throw new Refused("no key before the colon", at);
        if (space >= 0 && space !== at - 1) throw new Refused("a space in a key without quotes", space);
        return { value: text.slice(start, at).trimEnd(), end: at };
      }
      if (isBlank(at)) {
        if (space < 0 || space === at - 1) space = at;
      } else if ("{}[],".includes(char)) throw new Refused(`${char} in place of a key`, at);
    }
    throw new Refused("the end of the file in place of a key: a { is not closed", start);
  }

  function quoted(start: number): Parsed<string> {
    let value = "";
    for (let at = start + 1; at < text.length; at++) {
      const char = text[at] ?? "";
      if (char === text[start]) return { value, end: at + 1 };
      if (char < " ") throw new Refused("a string that is not closed on its line", start);
      if (char !== "\\") value += char;
      else if (text[++at] === "u") {
        const digits = text.slice(at + 1, at + 5);
        if (!/^[\da-f]{4}$/i.test(digits)) throw new Refused("\\u needs four digits", at - 1);
        value += String.fromCharCode(Number.parseInt(digits, 16));
        at += 4;
      } else {
        const meant = escapes[text[at] ?? ""];
        if (meant === undefined) throw new Refused(`\\${text[at] ?? ""} is not an escape`, at - 1);
        value += meant;
      }
    }
    throw new Refused("a string that is not closed", start);
  }

  /** Three quotes around lines, which lose the indentation of the first. */
  function lines(start: number): Parsed<string> {
    const indent = start - (text.lastIndexOf("\n", start - 1) + 1);
    const close = text.indexOf("'''", start + 3);
    if (close < 0) throw new Refused("''' that are not closed", start);
    const first = /^[ \t\r]*\n?/.exec(text.slice(start + 3, close))?.[0] ?? "";
    const skip = new RegExp(`^[ \\t\\r]{0,${Math.min(indent, 10_000)}}`);
    const body = text.slice(start + 3 + first.length, close).split("\n");
    const value = body
      .map((line, at) => (at > 0 || first.endsWith("\n") ? line.replace(skip, "") : line).replaceAll("\r", ""))
      .join("\n");
    return { value: value.endsWith("\n") ? value.slice(0, -1) : value, end: close + 3 };
  }

  /** A word that ends where JSON's would, if it is one of JSON's; any other goes to the end of its line. */
  function plain(start: number): Parsed<Scalar> {
    if ("{}[],:".includes(text[start] ?? "")) throw new Refused(`${text[start]} in place of a value`, start);
    for (let at = start; ; at++) {
      const char = text[at];
      const isEnd = char === undefined || char === "\n" || char === "\r";
      if (!isEnd && !",}]#".includes(char) && !(char === "/" && "/*".includes(text[at + 1] ?? "-"))) continue;
      if (!isEnd && at - start > longestNumber) continue;
      const written = text.slice(start, at);
      const end = start + written.trimEnd().length;
      const word = text.slice(start, end);
      if (Object.hasOwn(words, word)) return { value: words[word] as Scalar, end };
      if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?[\t ]*$/.test(written)) return { value: Number(word), end };
      if (isEnd) return { value: word, end };
    }
  }

  const start = next(text.startsWith("\uFEFF") ? 1 : 0);
  if (start >= text.length) return { kind: "map", entries: [], span: spanOf(0, text.length) };
  const { value, end } =
    text[start] === "{" || text[start] === "[" ? valueAt(start, 0) : section(start, start, 0, false);
  const rest = next(end);
  if (rest < text.length) throw new Refused("more text after the end of the object", rest);
  return value;
}

/** `"train_batch_size": GBSIZE,` or `"stage": ${zero_stage},` of a template: a script writes the file with another word in its place. */
function isPlaceholder(word: string): boolean {
  if (/^\$(?:\w+|\{\w+\}),?$/.test(word)) return true;
  return (
    /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*,?$/.test(word) && !/^(?:TRUE|FALSE|YES|NO|ON|OFF|NULL|NONE|NAN|AUTO),?$/.test(word)
  );
}

/** No number is longer: what is, is text, and need not be looked at at each of its commas. */
const longestNumber = 400;

const words: Readonly<Record<string, Scalar>> = { null: null, true: true, false: false };

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
