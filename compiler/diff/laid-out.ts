/** Statements as `cdrc fmt` writes them, on one line: how they were laid out is no change. */
import { format } from "../../dsl/format/format.ts";
import type { Span } from "../../dsl/source/source.ts";

export const textAt = ({ source, start, end }: Span): string => onOneLine(source.text.slice(start, end));

/** A statement of a file. */
export const laidOutAlone = (text: string): string => onOneLine(format({ path: "", text: `${text}\n` }).text);

/** A statement of a block. */
export function laidOut(text: string): string {
  const { text: block } = format({ path: "", text: `stage x {\n${text}\n}\n` });
  return onOneLine(block.slice(block.indexOf("{") + 1, block.lastIndexOf("}")));
}

const onOneLine = (text: string): string => text.trim().replace(/\s+/g, " ");
