import { duplicateName, unknownName } from "../catalog/names.ts";
import { setTwice } from "../catalog/properties.ts";
import { noMember, typeMismatch } from "../catalog/values.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Source } from "../../source/source.ts";
import { isSyntax } from "./broken.ts";
import { endOfBlock, lineOf } from "./statements.ts";

/** A value of the wrong type is one mistake: its names would mean something else in the right one. Nothing is said twice. */
export function withoutParts(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const wrong = reaches(diagnostics.filter(({ code }) => code === typeMismatch.code));
  const said = new Set<string>();
  return diagnostics.filter(({ code, span }) => {
    if (code === unknownName.code && (before(wrong.get(span.source), span.start)?.furthest ?? -1) >= span.end)
      return false;
    // A template that several extend is read as often, and has its mistake once.
    if (code !== setTwice.code && code !== noMember.code) return true;
    const place = `${code}\0${span.source.path}\0${span.start}`;
    const isNew = !said.has(place);
    said.add(place);
    return isNew;
  });
}

/** What is said of a block as a whole, where something in it is declared twice and counts once, or not at all: its sum, its shares. */
export function withoutSums(diagnostics: readonly Diagnostic[], twice: readonly Diagnostic[]): readonly Diagnostic[] {
  const last = new Map<Source, readonly string[]>();
  const linesOf = (source: Source): readonly string[] => {
    const lines = last.get(source) ?? source.text.split(/\r\n|\n|\r/);
    last.set(source, lines);
    return lines;
  };
  const starts = Map.groupBy(twice, ({ span }) => span.source);
  for (const each of starts.values()) each.sort((a, b) => a.span.start - b.span.start);
  return diagnostics.filter((diagnostic) => {
    const { code, severity, span } = diagnostic;
    if (severity !== "error" || isSyntax(diagnostic) || code === duplicateName.code) return true;
    if (twice.includes(diagnostic)) return true;
    const inside = starts.get(span.source) ?? [];
    const first = inside[firstBehind(inside.length, (index) => (inside[index]?.span.start ?? 0) > span.start)];
    return first === undefined || lineOf(first) >= endOfBlock(linesOf(span.source), lineOf(diagnostic));
  });
}

interface Reach {
  readonly start: number;
  /** The furthest end of all that begin no later. */
  readonly furthest: number;
}

/** How far diagnostics of each text reach, by where they begin. */
function reaches(diagnostics: readonly Diagnostic[]): ReadonlyMap<Source, readonly Reach[]> {
  const found = new Map<Source, Reach[]>();
  for (const [source, all] of Map.groupBy(diagnostics, ({ span }) => span.source)) {
    let furthest = 0;
    const sorted = all.toSorted((a, b) => a.span.start - b.span.start);
    found.set(
      source,
      sorted.map(({ span: { start, end } }) => ({ start, furthest: (furthest = Math.max(furthest, end)) })),
    );
  }
  return found;
}

const before = (all: readonly Reach[] = [], start: number): Reach | undefined =>
  all[firstBehind(all.length, (index) => (all[index]?.start ?? 0) >= start) - 1];

/** The least index of which something holds that holds of all behind it. */
function firstBehind(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
