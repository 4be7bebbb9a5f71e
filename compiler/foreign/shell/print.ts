/** What `printf` makes of its words; `null` where it isn't known, or the format has what is not read. */
import type { ShellWord, Value } from "./state.ts";
import type { Piece } from "./text.ts";

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  "\\": "\\",
  '"': '"',
  "'": "'",
  a: "\u0007",
  r: "\r",
};

export function printed(words: readonly ShellWord[]): Value | null {
  const [format, ...values] = words[0]?.text === "--" ? words.slice(1) : words;
  if (format === undefined || format.text === null || words.some(isOpen)) return null;
  const parts = format.text.match(/%%|%[-0+ #]*\d*(?:\.\d+)?[a-zA-Z]|%|\\[^]|[^%\\]+|\\/g) ?? [];
  const takers = parts.filter((part) => /^%.*[a-zA-Z]$/.test(part)).length;
  const rounds = takers === 0 ? 1 : Math.max(1, Math.ceil(values.length / takers));
  if (rounds * parts.length > 1000) return null;
  const made: Piece[] = [];
  let next = 0;
  for (let round = 0; round < rounds; round++)
    for (const part of parts) {
      const literal = (text: string): void => void made.push({ text, span: format.span, quoted: true });
      if (part === "%%") literal("%");
      else if (part.startsWith("\\")) {
        const text = escapes[part[1] ?? ""];
        if (text === undefined) return null;
        literal(text);
      } else if (!part.startsWith("%")) literal(part);
      else {
        const value = values[next++];
        if (part === "%s") {
          if (value !== undefined) made.push(...value.pieces.map((piece) => ({ ...piece, quoted: true })));
          continue;
        }
        const text = value === undefined ? "" : value.text;
        const [, zero, width, kind] = /^%(-?0?)(\d*)([sdi])$/.exec(part) ?? [];
        if (text === null || kind === undefined) return null;
        if (kind !== "s" && text !== "" && !/^-?(?:0|[1-9]\d*)$/.test(text)) return null;
        const shown = kind === "s" ? text : String(Number(text));
        const length = Number(width);
        if (length > 1000) return null;
        if (zero?.startsWith("-") === true) literal(shown.padEnd(length));
        else if (zero === "0" && kind !== "s")
          literal(
            shown.startsWith("-") ? `-${shown.slice(1).padStart(length - 1, "0")}` : shown.padStart(length, "0"),
          );
        else literal(shown.padStart(length));
      }
    }
  return made;
}

/** It may be no word, or several. */
export function isOpen({ pieces }: ShellWord): boolean {
  return pieces.some(({ text, quoted }) => text === null && !quoted);
}
