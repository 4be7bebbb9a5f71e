/** What stands under a cursor in a file of another tool. */
import { getLocation } from "jsonc-parser";
import type { Source } from "../../../dsl/source/source.ts";
import { looksLikeShell } from "../../foreign/documents/languages.ts";

export type Place =
  | {
      readonly kind: "flag";
      readonly word: string;
      readonly start: number;
      readonly end: number;
      readonly before: string;
    }
  | {
      readonly kind: "key";
      readonly path: readonly string[];
      readonly start: number;
      readonly end: number;
      readonly isKey: boolean;
    };

export const isJson = ({ text }: Source): boolean => /^\s*\{/.test(text);

export function placeAt(source: Source, offset: number): Place | null {
  if (isJson(source)) return keyAt(source, offset);
  return looksLikeShell(source) || source.text.includes("--") ? wordAt(source.text, offset) : null;
}

const edge = /[\s"'()=;|&\\]/;

function wordAt(text: string, offset: number): Place {
  let [start, end] = [offset, offset];
  while (start > 0 && !edge.test(text[start - 1] ?? "")) start--;
  while (end < text.length && !edge.test(text[end] ?? "")) end++;
  const before = /(--?[\w-]+)(?:\s+|=)["']?$/.exec(text.slice(Math.max(0, start - 200), start))?.[1] ?? "";
  return { kind: "flag", word: text.slice(start, end), start, end, before };
}

function keyAt({ text }: Source, offset: number): Place | null {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const names = path.filter((part) => typeof part === "string");
  const touches =
    previousNode !== undefined &&
    previousNode.offset <= offset &&
    offset <= previousNode.offset + previousNode.length;
  const [start, end] = touches
    ? [previousNode.offset, previousNode.offset + previousNode.length]
    : [offset - (/[\w.]*$/.exec(text.slice(0, offset))?.[0].length ?? 0), offset];
  return { kind: "key", path: names, start, end, isKey: isAtPropertyKey };
}
