import { wideColumns } from "./wide.ts";

/** Columns that a terminal shows a text in; `…` is what stands for something cut off. */
export function columnsOf(text: string): number {
  return /^[\u0020-\u007e…]*$/.test(text) ? text.length : wideColumns(text);
}
