/** Writes entries in lines: one line where it fits, else one member a line. */
import { columns } from "./columns.ts";
import type { Lexeme } from "./lexeme.ts";
import type { Marks } from "./marks.ts";
import type { Entry, Group, Part } from "./nest.ts";
import { type Item, lineWidth, noPads, type Pads, type Printer, startOf } from "./printer.ts";
import { reindent } from "./reindent.ts";

const step = 2;

export function print(entries: readonly Entry[], marks: Marks): string {
  return printerOf(marks)
    .body(entries, 0)
    .map((line) => `${line}\n`)
    .join("");
}

function printerOf(
  marks: Marks,
): Printer & { body: (entries: readonly Entry[], indent: number) => readonly string[] } {
  const bodies = new Map<Group, Map<number, readonly string[]>>();
  const flats = new Map<Group, string | null>();

  const flat = (parts: readonly Part[], pads: Pads): string | null => {
    let text = "";
    let before: Part | null = null;
    for (const part of parts) {
      const piece = part.kind === "group" ? flatGroup(part, pads) : flatLexeme(part);
      if (piece === null) return null;
      text += `${gap(before, part, marks)}${padding(part, pads)}${piece}`;
      before = part;
    }
    return text;
  };

  const flatGroup = (group: Group, pads: Pads): string | null => {
    if (pads === noPads && flats.has(group)) return flats.get(group) ?? null;
    const text = joined(group, pads);
    if (pads === noPads) flats.set(group, text);
    return text;
  };

  const joined = (group: Group, pads: Pads): string | null => {
    if (group.opened || group.note !== null) return null;
    const pieces: string[] = [];
    for (const entry of group.entries) {
      if (entry.kind === "comment" || entry.note !== null || needsLine(entry)) return null;
      const piece = flat(entry.parts, pads);
      if (piece === null) return null;
      pieces.push(piece);
    }
    const blank = group.open.text === "{" && pieces.length > 0 ? " " : "";
    return `${group.open.text}${blank}${pieces.join(", ")}${blank}${group.close.text}`;
  };

  const lines = ({ parts }: Item, indent: number, pads: Pads): readonly string[] =>
    linesOf(parts, indent, indent, pads);

  const linesOf = (parts: readonly Part[], indent: number, column: number, pads: Pads): readonly string[] => {
    const line = flat(parts, pads);
    if (line !== null && column + line.length <= lineWidth) return [line];
    const groups = parts.filter((part) => part.kind === "group" && part.entries.length > 0) as Group[];
    const open = new Set(groups.filter((group) => flatGroup(group, noPads) === null));
    const fits = (found: readonly string[]): boolean =>
      found.every((each, index) => each.length + (index === 0 ? column : 0) <= lineWidth);
    let found = emit(parts, indent, open, pads);
    if (open.size > 0 && fits(found)) return found;
    const last = parts.at(-1);
    const signs = loosest(parts, marks);
    if (last?.kind === "group" && last.entries.length > 0 && !open.has(last)) {
      found = emit(parts, indent, new Set([...open, last]), pads);
      if (fits(found)) return found;
    }
    if (signs.length > 0) return broken(parts, signs, indent, column, pads);
    for (const group of groups.toReversed()) {
      if (fits(found)) break;
      open.add(group);
      found = emit(parts, indent, open, pads);
    }
    return found;
  };

  /** One line for each operand. */
  const broken = (
    parts: readonly Part[],
    signs: readonly number[],
    indent: number,
    column: number,
    pads: Pads,
  ): readonly string[] => {
    const found: string[] = [];
    let from = 0;
    for (const to of [...signs, parts.length]) {
      // A comment behind the sign stays there; one below it stands above the operand.
      for (let part = parts[from]; part?.kind === "comment" && from < to && found.length > 0; part = parts[++from])
        if (part.lines === 0) found.push(`${found.pop() ?? ""}  ${part.text}`);
        else found.push(" ".repeat(indent + step) + part.text);
      if (from === to) continue;
      // One at the end of an operand breaks nothing in it.
      let end: number = to;
      while (parts[end - 1]?.kind === "comment" && end - 1 > from) end -= 1;
      const inner = linesOf(
        parts.slice(from, end),
        indent + (from === 0 ? 0 : step),
        from === 0 ? column : indent + step,
        pads,
      );
      for (const [index, line] of inner.entries())
        found.push(from > 0 && index === 0 ? " ".repeat(indent + step) + line : line);
      for (const [index, part] of parts.slice(end, to).entries())
        if (part.kind === "comment" && part.lines === 0 && index === 0)
          found.push(`${found.pop() ?? ""}  ${part.text}`);
        else if (part.kind === "comment") found.push(" ".repeat(indent + step) + part.text);
      from = to;
    }
    return found;
  };

  const emit = (parts: readonly Part[], indent: number, open: ReadonlySet<Group>, pads: Pads): readonly string[] => {
    const found = [""];
    const put = (text: string): void => {
      found[found.length - 1] += text;
    };
    let before: Part | null = null;
    let own = indent;
    for (const part of parts) {
      const afterComment = before?.kind === "comment";
      if (part.kind === "comment") {
        if (part.lines > 0 || before === null || afterComment) found.push(" ".repeat(indent + step) + part.text);
        else put(`  ${part.text}`);
      } else {
        if (afterComment) {
          own = indent + step;
          found.push(" ".repeat(own));
        } else put(gap(before, part, marks) + padding(part, pads));
        if (part.kind !== "group") {
          const [first = "", ...rest] = reindent(part.text, indent + step);
          put(first);
          for (const line of rest) found.push(line);
        } else if (open.has(part)) {
          put(part.open.text + (part.note === null ? "" : `  ${part.note.text}`));
          for (const line of groupBody(part, own + step)) found.push(line);
          found.push(" ".repeat(own) + part.close.text);
        } else put(flatGroup(part, pads) ?? "");
      }
      before = part;
    }
    return found;
  };

  const groupBody = (group: Group, indent: number): readonly string[] => {
    let byIndent = bodies.get(group);
    if (byIndent === undefined) bodies.set(group, (byIndent = new Map()));
    let found = byIndent.get(indent);
    if (found === undefined) byIndent.set(indent, (found = body(group.entries, indent)));
    return found;
  };

  const body = (entries: readonly Entry[], indent: number): readonly string[] => {
    const rendered = columns(entries, indent, printer);
    const found: string[] = [];
    for (const [index, entry] of entries.entries()) {
      if (entry.blank) found.push("");
      const [first = "", ...rest] = rendered[index] ?? [];
      found.push(" ".repeat(indent) + first, ...rest);
      const next = entries[index + 1];
      if (next?.kind === "item" && entry.kind === "item" && entry.note === null && needsComma(next))
        found.push(`${found.pop() ?? ""},`);
    }
    return found;
  };

  const printer: Printer & { body: typeof body } = { flat, lines, marks, body };
  return printer;
}

/**
 * On one line with others it would be read otherwise: only where `param` opens a line is a word before `=` the unit of
 * a bound, and a comma behind `after a` goes on with the clause.
 */
function needsLine({ parts }: Item): boolean {
  const isParam = startsWith(parts[0], "param");
  return parts.some((part, index) =>
    isParam
      ? startsWith(part, "=") && parts[index - 1]?.kind === "atom"
      : index > 0 && startsWith(part, "after") && parts.at(-1)?.kind !== "group",
  );
}

const isBrace = (part: Part | undefined): boolean => part?.kind === "group" && part.open.text === "{";

function startsWith(part: Part, text: string): boolean {
  return part.kind !== "group" && part.text === text;
}

/** A line that begins so would go on with the line before; a word before `=` or `:` is a name. */
function needsComma({ parts: [first, next] }: Item): boolean {
  const isName = next !== undefined && (startsWith(next, "=") || startsWith(next, ":"));
  return first.kind === "word" && !isName && /^(with|then|else|and|or|of|divides|for)$/.test(first.text);
}

function flatLexeme(lexeme: Lexeme): string | null {
  return lexeme.kind === "comment" || /[\r\n]/.test(lexeme.text) ? null : lexeme.text;
}

function padding(part: Part, pads: Pads): string {
  return " ".repeat(pads.get(startOf(part)) ?? 0);
}

function gap(before: Part | null, part: Part, { unary, tight, glued }: Marks): string {
  if (before === null) return "";
  const start = startOf(part);
  if (glued.has(start) || tight.has(start)) return "";
  if (before.kind === "sign" && (before.text === "." || unary.has(before.start) || tight.has(before.start)))
    return "";
  if (part.kind === "sign" && (part.text === "." || part.text === ":" || part.text === ",")) return "";
  return " ";
}

/** Indexes of the parts that begin a new line where the loosest operators of an item break it. */
function loosest(parts: readonly Part[], { breaks }: Marks): readonly number[] {
  const levels = parts.map((part) => (part.kind === "group" ? undefined : breaks.get(part.start)));
  const least = Math.min(...levels.map((level) => level ?? Infinity));
  return parts.flatMap((part, index) => {
    if (levels[index] !== least || part.kind === "group" || index === 0) return [];
    // A word and a brace at the begin of a line would be read as a block, but for `with`, `then` and `else`.
    const isBlock = isBrace(parts[index + 1]) && !/^(with|then|else)$/.test(part.text);
    const goesFirst = part.text === "|" || (part.kind === "word" && part.text !== "in" && !isBlock);
    const at = goesFirst ? index : index + 1;
    // Before a comment `for` would not be told from a name.
    const isAlone = startsWith(part, "for") && parts[index + 1]?.kind === "comment";
    return at < parts.length && index + 1 < parts.length && !isAlone ? [at] : [];
  });
}
