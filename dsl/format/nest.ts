/** Lexemes as brackets in brackets, with every comment beside what it belongs to. */
import type { Lexeme } from "./lexeme.ts";
import type { Marks } from "./marks.ts";

export interface Group {
  readonly kind: "group";
  readonly open: Lexeme;
  readonly close: Lexeme;
  /** A comment right behind the opening bracket. */
  readonly note: Lexeme | null;
  readonly entries: readonly Entry[];
  /** Its author began a new line behind the opening bracket. */
  readonly opened: boolean;
}

export type Part = Lexeme | Group;

export type Entry =
  | { readonly kind: "comment"; readonly comment: Lexeme; readonly blank: boolean }
  | {
      readonly kind: "item";
      readonly parts: readonly [Part, ...Part[]];
      /** The comment at the end of its line. */
      readonly note: Lexeme | null;
      /** An empty line stands before it. */
      readonly blank: boolean;
    };

/** `null` where brackets do not balance. */
export function nest({ lexemes, starts }: Marks): readonly Entry[] | null {
  let at = 0;

  /** What stands behind the comments at `index`, and the commas among them. */
  const ahead = (index: number): Lexeme | undefined => {
    let next = index;
    while (lexemes[next]?.kind === "comment" || lexemes[next]?.text === ",") next += 1;
    return lexemes[next];
  };
  const ends = (index: number): boolean => {
    const next = ahead(index);
    return next === undefined || isCloser(next) || starts.has(next.start);
  };

  const entriesUntilCloser = (first: readonly Entry[] = []): Entry[] | null => {
    const entries: Entry[] = [...first];
    let commaLines = 0;
    for (let lexeme = lexemes[at]; lexeme !== undefined && !isCloser(lexeme); lexeme = lexemes[at]) {
      const lines = lexeme.lines + commaLines;
      const blank = lines > 1 && entries.length > 0;
      commaLines = 0;
      if (lexeme.text === "," && lexeme.kind === "sign") {
        commaLines = lines;
        at += 1;
      } else if (lexeme.kind === "comment") {
        at += 1;
        const last = entries.at(-1);
        if (lines === 0 && last?.kind === "item" && last.note === null) {
          entries[entries.length - 1] = { ...last, note: lexeme };
        } else entries.push({ kind: "comment", comment: lexeme, blank });
      } else {
        const parts = item();
        if (parts === null) return null;
        entries.push({ kind: "item", parts, note: null, blank });
      }
    }
    return entries;
  };

  const item = (): [Part, ...Part[]] | null => {
    const first = part();
    if (first === null) return null;
    const parts: [Part, ...Part[]] = [first];
    for (let lexeme = lexemes[at]; lexeme !== undefined && !isCloser(lexeme); lexeme = lexemes[at]) {
      const separates = lexeme.kind === "comment" || lexeme.text === ",";
      if (separates ? ends(at) : starts.has(lexeme.start)) break;
      const next = part();
      if (next === null) return null;
      parts.push(next);
    }
    return parts;
  };

  const part = (): Part | null => {
    const open = lexemes[at];
    if (open === undefined) return null;
    at += 1;
    const closer = open.kind === "sign" ? closers[open.text] : undefined;
    if (closer === undefined) return open;
    const inner = lexemes[at];
    const hasNote = inner?.kind === "comment" && inner.lines === 0;
    if (hasNote) at += 1;
    const entries = entriesUntilCloser();
    const close = lexemes[at];
    if (entries === null || close?.text !== closer) return null;
    at += 1;
    const opened = inner !== undefined && inner !== close && (inner.lines > 0 || hasNote);
    return { kind: "group", open, close, note: hasNote ? inner : null, entries, opened };
  };

  const entries = entriesUntilCloser();
  return at === lexemes.length ? entries : null;
}

const closers: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };

function isCloser(lexeme: Lexeme): boolean {
  return lexeme.kind === "sign" && (lexeme.text === "}" || lexeme.text === ")" || lexeme.text === "]");
}
