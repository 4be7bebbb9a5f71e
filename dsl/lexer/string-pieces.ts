import { scanInterpolation } from "./string.ts";

/** A piece of a string literal: plain text, or the stretch between `${` and `}`. */
export type Piece =
  | { readonly kind: "text"; readonly text: string; readonly start: number; readonly end: number }
  | { readonly kind: "expression"; readonly start: number; readonly end: number };

/** Something wrong inside of the quotes. */
export type StringProblem =
  | { readonly kind: "escape"; readonly start: number; readonly end: number }
  /** Written as an escape or as itself. */
  | { readonly kind: "nul"; readonly start: number; readonly end: number }
  | { readonly kind: "interpolation"; readonly start: number; readonly end: number }
  | { readonly kind: "dollar"; readonly start: number; readonly end: number; readonly name: string };

const nul = "\0";
const simpleEscapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "0": nul,
  "\\": "\\",
  '"': '"',
  "'": "'",
  $: "$",
  "{": "{",
  "}": "}",
};

/**
 * Cuts the content of a double-quoted string (`from` to `to`, quotes excluded) into pieces, escapes resolved.
 * `indent` is how many blanks are taken from each line of a `"""` string; -1 for a one-line string.
 */
export function stringPieces(
  text: string,
  from: number,
  to: number,
  indent: number,
): { readonly pieces: readonly Piece[]; readonly problems: readonly StringProblem[] } {
  const pieces: Piece[] = [];
  const problems: StringProblem[] = [];
  let plain = "";
  let plainStart = from;
  const flush = (end: number): void => {
    if (plain !== "") pieces.push({ kind: "text", text: plain, start: plainStart, end });
    plain = "";
  };

  let at = indent < 0 ? from : skipBlanks(text, from, to, indent);
  while (at < to) {
    const char = text[at] ?? "";
    if (char === "\\" && at + 1 < to) {
      const escape = readEscape(text, at, to);
      if (escape.value === null) problems.push({ kind: "escape", start: at, end: escape.end });
      if (escape.value === nul) problems.push({ kind: "nul", start: at, end: escape.end });
      plain += escape.value ?? text.slice(at, escape.end);
      at = escape.end;
    } else if (char === "$" && text[at + 1] === "{") {
      const end = scanInterpolation(text, at, indent >= 0);
      if (end === null || end >= to) {
        problems.push({ kind: "interpolation", start: at, end: at + 2 });
        plain += char;
        at += 1;
        continue;
      }
      flush(at);
      pieces.push({ kind: "expression", start: at + 2, end });
      at = end + 1;
      plainStart = at;
    } else if (indent >= 0 && (char === "\n" || char === "\r")) {
      plain += "\n";
      at = skipBlanks(text, at + (text.startsWith("\r\n", at) ? 2 : 1), to, indent);
    } else {
      const name =
        char === "$" ? /^[A-Z_][A-Z0-9_]*/.exec(text.slice(at + 1, Math.min(to, at + 65)))?.[0] : undefined;
      if (name !== undefined) problems.push({ kind: "dollar", start: at, end: at + 1 + name.length, name });
      if (char === nul) problems.push({ kind: "nul", start: at, end: at + 1 });
      plain += char;
      at += 1;
    }
  }
  flush(to);
  return { pieces, problems };
}

/** The blanks that all lines of a `"""` string have in common, the line of the closing quotes included. */
export function commonIndent(content: string): number {
  let least = Infinity;
  const lines = content.split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    const blanks = line.length - line.trimStart().length;
    if (blanks < line.length || index === lines.length - 1) least = Math.min(least, blanks);
  }
  return least === Infinity ? 0 : least;
}

function skipBlanks(text: string, at: number, to: number, most: number): number {
  const limit = Math.min(to, at + most);
  while (at < limit && (text[at] === " " || text[at] === "\t")) at += 1;
  return at;
}

function readEscape(text: string, at: number, to: number): { readonly value: string | null; readonly end: number } {
  const char = text[at + 1] ?? "";
  const simple = simpleEscapes[char];
  if (simple !== undefined) return { value: simple, end: at + 2 };
  if (char === "\n" || char === "\r") return { value: "", end: at + (text.startsWith("\r\n", at + 1) ? 3 : 2) };
  const unicode = /^u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(text.slice(at + 1, Math.min(to, at + 11)));
  const code = Number.parseInt(unicode?.[1] ?? unicode?.[2] ?? "", 16);
  if (unicode === null || code > 0x10ffff) {
    return { value: null, end: at + 1 + ((text.codePointAt(at + 1) ?? 0) > 0xffff ? 2 : 1) };
  }
  return { value: String.fromCodePoint(code), end: at + 1 + unicode[0].length };
}
