/** Whether a fix mends: each is tried before it is offered, by the editor and by `cdrc check` alike. */
import { extendsKind, misplaced, unknownName } from "../diagnostics/catalog/names.ts";
import { typeMismatch, unitMismatch, wordQuoted } from "../diagnostics/catalog/values.ts";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.ts";
import { lineStart } from "../source/line-start.ts";
import type { File } from "../syntax/ast.ts";
import { nodesAt } from "./nodes.ts";

/** A file as it is, or as it would be. */
export interface Reading {
  readonly path: string;
  readonly text: string;
  readonly file: File;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Whether fewer errors stand in the members that a fix changes than before, and no new ones of the syntax on their
 * lines; elsewhere may stand what the error has hidden. What changes other files is not tried.
 */
export function isMended(
  { path, text, file, diagnostics: before }: Reading,
  mends: Diagnostic,
  { edits }: Fix,
  read: (text: string) => Pick<Reading, "file" | "diagnostics">,
): boolean {
  const own = edits.filter(({ span }) => span.source.path === path).toSorted((a, b) => a.span.start - b.span.start);
  if (own.length < edits.length || own.length === 0) return true;
  let after = "";
  let done = 0;
  const places = own.map(({ span, newText }) => {
    after += text.slice(done, span.start);
    const start = after.length;
    after += newText;
    done = span.end;
    return { start, end: after.length };
  });
  after += text.slice(done);
  const { file: mended, diagnostics: now } = read(after);
  const spans = own.map(({ span }) => span);
  const faults = (all: Known, where: readonly Place[]): number =>
    all.filter((d) => d.severity === "error" && d.span.source.path === path && touches(d.span, where)).length;
  // What an error of the syntax has hidden may well come out, but no name or clause of the fix's own making.
  const isOwn = (d: Diagnostic): boolean =>
    !isSyntax(mends) || isSyntax(d) || ofTheFix.has(d.code) || (d.code === typeMismatch.code && !isValue(mended, d));
  const members = (file: File, at: readonly Place[]): readonly Place[] => at.map((place) => memberAt(file, place));
  return (
    faults(now.filter(isOwn), members(mended, places)) <
      Math.max(1, faults(before.filter(isOwn), members(file, spans))) &&
    faults(now.filter(isSyntax), linesOf(after, places)) <
      Math.max(1, faults(before.filter(isSyntax), linesOf(text, spans)))
  );
}

const ofTheFix = new Set([unknownName, misplaced, extendsKind, unitMismatch, wordQuoted].map(({ code }) => code));

const isSyntax = ({ code }: Diagnostic): boolean => code.startsWith("cdr/syntax-");

/** Whether an error is about a value; about a header else. */
const isValue = (file: File, { span }: Diagnostic): boolean =>
  nodesAt(file, span.start).some(({ kind }) => kind === "assign" || kind === "bound");

/** The `name = value` around a place. */
function memberAt(file: File, place: Place): Place {
  const around = nodesAt(file, place.start).findLast(({ kind }) => kind === "assign" || kind === "bound");
  return around === undefined || around.span.end < place.end ? place : around.span;
}

type Known = readonly Diagnostic[];

interface Place {
  readonly start: number;
  readonly end: number;
}

const touches = (span: Place, places: readonly Place[]): boolean =>
  places.some(({ start, end }) => span.start <= end && start <= span.end);

const linesOf = (text: string, places: readonly Place[]): readonly Place[] =>
  places.map(({ start, end }) => {
    const next = text.indexOf("\n", end);
    return { start: lineStart(text, start), end: next < 0 ? text.length : next };
  });
