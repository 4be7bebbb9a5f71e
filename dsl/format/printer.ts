/** What the parts of the layout share. */
import type { Marks } from "./marks.ts";
import type { Entry, Part } from "./nest.ts";

export const lineWidth = 118;

/** How many more blanks stand before a lexeme, by its offset. */
export type Pads = ReadonlyMap<number, number>;

export const noPads: Pads = new Map();

export type Item = Extract<Entry, { kind: "item" }>;

export interface Printer {
  /** An item or a part of it on one line; `null` where it needs several. */
  readonly flat: (parts: readonly Part[], pads: Pads) => string | null;
  /** The lines of an item; the first without its indentation. */
  readonly lines: (item: Item, indent: number, pads: Pads) => readonly string[];
  readonly marks: Marks;
}

export function startOf(part: Part): number {
  return part.kind === "group" ? part.open.start : part.start;
}
