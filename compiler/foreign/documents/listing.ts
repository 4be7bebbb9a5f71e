import type { Source, Span } from "../../../dsl/source/source.ts";
import type { Listing } from "../launch.ts";

/** A hostfile has `slots=` behind each name; a list of packages has a version behind some. */
export function listingOf({ path, text }: Source): Listing["kind"] | null {
  const lines = linesOf({ path, text }).map(({ text: line }) => line);
  if (lines.length === 0) return null;
  if (
    lines.every((line) => /^\S+(?:\s+slots\s*=\s*\S*)?$/.test(line)) &&
    lines.some((line) => /\sslots\s*=/.test(line))
  )
    return "hostfile";
  const package_ = /^(?:-{1,2}[\w-]+.*|[A-Za-z][\w.-]*(?:\[[\w, -]*\])?\s*(?:(?:[=<>!~]=?=?|@)\s*\S.*)?)$/;
  return lines.every((line) => package_.test(line)) && lines.some((line) => /[=<>~]=|[<>]\s*\d/.test(line))
    ? "requirements"
    : null;
}

export interface Line {
  readonly text: string;
  readonly span: Span;
}

/** Lines with something on them, without comments, and their places. */
export function linesOf(source: Source): readonly Line[] {
  return [...source.text.matchAll(/^[^\n]*$/gm)].flatMap(({ 0: line, index }) => {
    const text = line.replace(/(?:^|\s)#.*$/, "").trim();
    if (text === "") return [];
    const start = index + line.indexOf(text);
    return [{ text, span: { source, start, end: start + text.length } }];
  });
}
