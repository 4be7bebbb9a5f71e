import type * as Shell from "unbash";
import type { Piece, Text } from "./text.ts";

/** More words than that are no part of a launch. */
const most = 256;

/** The words of `{a,b}` and `{1..3}`; `null` where something is to be expanded in them, or they are too many. */
export function alternativesOf({ text, pos, end }: Shell.BraceExpansionPart, source: Text): readonly Piece[] | null {
  const inside = text.slice(1, -1);
  if (/[{}$`"'\\]/.test(inside)) return null;
  const span = source.spanOf(pos, end);
  if (!inside.includes(",")) return rangeOf(inside)?.map((each) => ({ text: each, span, quoted: true })) ?? null;
  const found: Piece[] = [];
  let from = pos + 1;
  for (const each of inside.split(",")) {
    found.push({ text: each, span: each === "" ? span : source.spanOf(from, from + each.length), quoted: true });
    from += each.length + 1;
  }
  return found.length > most ? null : found;
}

function rangeOf(text: string): readonly string[] | null {
  const [, first, last, by] = /^(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?$/.exec(text) ?? [];
  if (first === undefined || last === undefined) return null;
  const [start, end] = [Number(first), Number(last)];
  const step = Math.abs(Number(by ?? 1)) || 1;
  const count = Math.floor(Math.abs(end - start) / step) + 1;
  if (count > most) return null;
  const isPadded = [first, last].some((each) => /^-?0\d/.test(each));
  const width = isPadded ? Math.max(first.length, last.length) : 0;
  return Array.from({ length: count }, (_, at) => {
    const value = start + (end < start ? -at : at) * step;
    return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
  });
}
