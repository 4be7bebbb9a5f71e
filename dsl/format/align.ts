/** Blanks that make members of one kind line up, paragraph by paragraph. */
import type { Entry, Group, Part } from "./nest.ts";
import { type Item, noPads, type Pads, type Printer, startOf } from "./printer.ts";

/** A longer name lines up with nothing, or it would push all others away. */
const longestName = 32;

/** `long` says which entries stand on several lines: a property ends its run there, a block is not in one. */
export function align(entries: readonly Entry[], long: readonly boolean[], printer: Printer): Pads {
  const pads = new Map<number, number>();
  const runs = new Map<string, Item[]>();
  const finish = (): void => {
    for (const run of runs.values()) lineUp(run, pads, printer);
    runs.clear();
  };
  for (const [index, entry] of entries.entries()) {
    if (entry.blank) finish();
    if (entry.kind === "comment") continue;
    const isLong = long[index] ?? false;
    const key = printer.marks.alignments.get(startOf(entry.parts[0]))?.key;
    if (key !== undefined && !(isLong && key.startsWith("block"))) {
      const run = runs.get(key);
      if (run === undefined) runs.set(key, [entry]);
      else run.push(entry);
    }
    if (isLong) finish();
  }
  finish();
  return pads;
}

function lineUp(run: readonly Item[], pads: Map<number, number>, printer: Printer): void {
  const rows = run.map((item) => ({ item, slots: slotsOf(item, printer) }));
  for (let slot = 0; slot < (rows[0]?.slots.length ?? 0); slot++) {
    const cells = rows.flatMap(({ item, slots }) => {
      const at = slots[slot] ?? 0;
      const width = printer.flat(item.parts.slice(0, at), pads)?.length ?? Infinity;
      const sign = item.parts[at];
      const isEmpty = sign?.kind === "group" && sign.entries.length === 0;
      return sign === undefined || isEmpty || width > longestName + slot * longestName
        ? []
        : [{ sign, end: width + widthOf(sign) }];
    });
    const end = cells.reduce((most, cell) => Math.max(most, cell.end), 0);
    for (const cell of cells) if (cell.end < end) pads.set(startOf(cell.sign), end - cell.end);
  }
  table(run, pads, printer);
}

/** Rows of records that say the same properties are a table. */
function table(run: readonly Item[], pads: Map<number, number>, printer: Printer): void {
  const rows = run.map((item) => cellsOf(item, printer));
  const [first] = rows;
  if (rows.length < 2 || first === undefined || first === null) return;
  if (!rows.every((row) => row !== null && row.join() === first.join())) return;
  const groups = run.map((item) => item.parts.at(-1) as Group);
  for (let column = 1; column < first.length; column++) {
    const widths = groups.map((group) => widthOfEntry(group.entries[column - 1], printer));
    const width = widths.reduce((most, each) => Math.max(most, each), 0);
    for (const [row, group] of groups.entries()) {
      const entry = group.entries[column];
      const missing = width - (widths[row] ?? width);
      if (entry?.kind === "item" && missing > 0) pads.set(startOf(entry.parts[0]), missing);
    }
  }
}

/** The names of the properties in the braces that end an item; `null` where something else stands there. */
function cellsOf(item: Item, printer: Printer): readonly string[] | null {
  const group = item.parts.at(-1);
  if (group?.kind !== "group" || group.open.text !== "{" || printer.flat([group], noPads) === null) return null;
  const names = group.entries.map((entry) => {
    if (entry.kind === "comment") return null;
    const [slot] = slotsOf(entry, printer);
    const key = printer.marks.alignments.get(startOf(entry.parts[0]))?.key;
    return slot === undefined || key !== "property" ? null : printer.flat(entry.parts.slice(0, slot + 1), noPads);
  });
  return names.every((name) => name !== null) ? names : null;
}

function widthOfEntry(entry: Entry | undefined, printer: Printer): number {
  return entry?.kind === "item" ? (printer.flat(entry.parts, noPads)?.length ?? 0) : 0;
}

/** Indexes among the parts of an item. */
function slotsOf(item: Item, { marks }: Printer): readonly number[] {
  const slots = marks.alignments.get(startOf(item.parts[0]))?.slots ?? [];
  return slots.map((offset) => item.parts.findIndex((part) => startOf(part) === offset));
}

function widthOf(part: Part): number {
  return part.kind === "group" ? 1 : part.text.length;
}
