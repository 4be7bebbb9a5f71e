/** Lines up what stands below each other: `=` of properties, `{` of one-line blocks, columns of tables, comments. */
import { align } from "./align.ts";
import type { Entry } from "./nest.ts";
import { lineWidth, noPads, type Pads, type Printer } from "./printer.ts";

/** The lines of each entry; the first of each without its indentation. */
export function columns(entries: readonly Entry[], indent: number, printer: Printer): readonly (readonly string[])[] {
  const render = (pads: Pads): (readonly string[])[] =>
    entries.map((entry) => (entry.kind === "comment" ? [entry.comment.text] : printer.lines(entry, indent, pads)));
  const isLong = (lines: readonly string[]): boolean =>
    lines.length > 1 || (lines[0] ?? "").length + indent > lineWidth;

  let rendered = render(noPads);
  let long = rendered.map(isLong);
  // What no longer fits once it is lined up stands on several lines and no longer lines up with what follows.
  for (let round = 0; round < 4; round++) {
    const before = long;
    rendered = render(align(entries, before, printer));
    const after = rendered.map((lines, index) => isLong(lines) || (before[index] ?? false));
    if (after.every((each, index) => each === before[index])) break;
    long = after;
  }
  return withNotes(entries, rendered, indent);
}

/** Comments at the ends of lines that follow each other begin in one column. */
function withNotes(
  entries: readonly Entry[],
  rendered: readonly (readonly string[])[],
  indent: number,
): readonly (readonly string[])[] {
  const widths = rendered.map((lines) => (lines.at(-1) ?? "").length + (lines.length === 1 ? indent : 0));
  const found = [...rendered];
  for (let from = 0; from < entries.length; from++) {
    let to = from;
    while (noteOf(entries[to]) !== null && (to === from || follows(entries[to], rendered[to]))) to += 1;
    const column = widths.slice(from, to).reduce((most, each) => Math.max(most, each), 0) + 2;
    for (let index = from; index < to; index++) {
      const lines = [...(rendered[index] ?? [])];
      const last = lines.pop() ?? "";
      found[index] = [...lines, last + " ".repeat(column - (widths[index] ?? 0)) + (noteOf(entries[index]) ?? "")];
    }
    from = Math.max(from, to - 1);
  }
  return found;
}

function noteOf(entry: Entry | undefined): string | null {
  return entry?.kind === "item" ? (entry.note?.text ?? null) : null;
}

function follows(entry: Entry | undefined, lines: readonly string[] | undefined): boolean {
  return entry?.blank === false && lines?.length === 1;
}
