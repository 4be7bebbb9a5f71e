/** `parse`, remembered: the same text of a path is read once, however many programs are made of it. */
import type { Source } from "../source/source.ts";
import { parse } from "./parse.ts";

export type Parsed = ReturnType<typeof parse>;

/** Texts that are kept; a workspace has fewer. */
const most = 4000;
const known = new Map<string, readonly Parsed[]>();

/**
 * What `parse` gives for the last text of that path or the one before, or gives anew: an editor reads a file whole and in part by
 * turns. Its spans belong to the source that was read first.
 */
export function parseOnce(source: Source): Parsed {
  const [last, before] = known.get(source.path) ?? [];
  if (last?.file.source.text === source.text) return last;
  const parsed = before?.file.source.text === source.text ? before : parse(source);
  known.delete(source.path);
  known.set(source.path, last === undefined ? [parsed] : [parsed, last]);
  if (known.size > most) known.delete(known.keys().next().value ?? "");
  return parsed;
}
