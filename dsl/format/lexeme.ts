/** The text of a file in pieces that layout does not touch: words, numbers with their units, strings, signs, comments. */
import type { Span } from "../source/source.ts";

export interface Lexeme {
  readonly kind: "word" | "atom" | "sign" | "comment";
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** How many line breaks stand before it; commas that separate are not counted as anything. */
  readonly lines: number;
}

const blank = /[ \t\u00a0\ufeff]+/y;
const newline = /\r\n|\n|\r/y;
const comment = /\/\/[^\r\n]*/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const sign = /=>|==|!=|<=|>=|\.\.|[{}()[\],=<>:.+\-*/|]/y;

/** `atoms` are the stretches that the tree knows as one: numbers with units, strings, quoted names. */
export function lexemesOf(text: string, atoms: ReadonlyMap<number, Span>): readonly Lexeme[] | null {
  const found: Lexeme[] = [];
  let lines = 0;
  let at = 0;
  const read = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  while (at < text.length) {
    const skipped = read(blank);
    if (skipped !== null) {
      at += skipped.length;
      continue;
    }
    const broken = read(newline);
    if (broken !== null) {
      lines += 1;
      at += broken.length;
      continue;
    }
    const atom = atoms.get(at);
    const [kind, piece] =
      atom === undefined
        ? (firstOf(read, ["word", word], ["comment", comment], ["sign", sign]) ?? [])
        : (["atom", text.slice(at, atom.end)] as const);
    if (kind === undefined || piece === undefined || piece === "") return null;
    found.push({
      kind,
      text: kind === "comment" ? piece.trimEnd() : piece,
      start: at,
      end: at + piece.length,
      lines,
    });
    lines = 0;
    at += piece.length;
  }
  return found;
}

type Pattern = readonly ["comment" | "word" | "sign", RegExp];

function firstOf(
  read: (pattern: RegExp) => string | null,
  ...patterns: readonly Pattern[]
): readonly ["comment" | "word" | "sign", string] | undefined {
  for (const [kind, pattern] of patterns) {
    const piece = read(pattern);
    if (piece !== null) return [kind, piece];
  }
  return undefined;
}
