/** Whether a fix mends: each is tried before it is offered, by the editor and by `cdrc check` alike. */
import { argumentMissing, argumentUnknown, notCallable } from "../diagnostics/catalog/calls.ts";
import { blockAssigned, foreignProperty, setTwice, unknownProperty } from "../diagnostics/catalog/properties.ts";
import { extendsKind, misplaced, unknownName } from "../diagnostics/catalog/names.ts";
import {
  typeMismatch,
  unitMismatch,
  unitMissing,
  unitUnknown,
  wordQuoted,
  wrongChoice,
} from "../diagnostics/catalog/values.ts";
import type { Diagnostic, Edit, Fix } from "../diagnostics/diagnostic.ts";
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
 * The fix, where it mends: fewer errors stand in the members that it changes than before, and no new ones of the syntax on
 * their lines; elsewhere may stand what the error has hidden. What changes other files is not tried. Where what it writes is
 * answered by a fix of its own (`max_steps: 400` is `max_steps = 400`, which is `length = 400 steps`), that is made with it.
 */
export function mendingFixes(before: Reading, mends: Diagnostic, fix: Fix, read: Read): readonly Fix[] {
  const own = fix.edits.filter(({ span }) => span.source.path === before.path);
  if (own.length < fix.edits.length || own.length === 0) return [fix];
  const made = applied(before.text, own);
  const after = { ...made, ...read(made.text) };
  const all = followed(before, after, read, fix.title).filter((each) => isMended(before, mends, own, each.after));
  // Another fix of the same error leads there at once.
  const direct = new Set(mends.fixes.map(({ edits }) => applied(before.text, edits).text));
  if (all.length > 0) return all.flatMap((each) => (direct.has(each.after.text) ? [] : [each.fix]));
  return isMended(before, mends, own, after) ? [fix] : [];
}

type Read = (text: string) => Pick<Reading, "file" | "diagnostics">;

interface Changed extends Pick<Reading, "text" | "file" | "diagnostics"> {
  /** Where the edits are. */
  readonly places: readonly Place[];
}

function applied(text: string, edits: readonly Edit[]): Pick<Changed, "text" | "places"> {
  let after = "";
  let done = 0;
  const places = edits
    .toSorted((a, b) => a.span.start - b.span.start)
    .map(({ span, newText }) => {
      after += text.slice(done, span.start);
      const start = after.length;
      after += newText;
      done = span.end;
      return { start, end: after.length };
    });
  return { text: after + text.slice(done), places };
}

/** How often a fix may ask for another one, and how many ways of going on are tried: units that may stand behind a number. */
const deepest = 6;
const widest = 3;

/** Whose fixes are no guesses: what is nearest by its letters alone is asked for by itself. */
const sure = new Set(
  [
    ...[argumentUnknown, blockAssigned, foreignProperty, notCallable, typeMismatch],
    ...[unitMissing, unitUnknown, unknownName, wordQuoted, wrongChoice],
  ].map(({ code }) => code),
);

/** With the fixes of what it leaves, until nothing of it is left. */
function followed(
  before: Reading,
  now: Changed,
  read: Read,
  title: string,
  depth = 0,
  ways = widest,
): readonly Whole[] {
  const next = now.diagnostics.find((d) => isNew(d, before, now));
  if (next === undefined) return depth === 0 ? [] : [whole(before, now, title)];
  if (depth === deepest || !(isSyntax(next) || sure.has(next.code))) return [];
  return next.fixes.slice(0, ways).flatMap((fix) => {
    const isElsewhere = ({ span }: Edit): boolean =>
      span.source.path !== before.path || !touches(span, members(now.file, now.places));
    // What takes the line away has a reason, which is read first.
    if (fix.edits.some(isElsewhere) || fix.edits.every(({ newText }) => newText === "")) return [];
    const { text, places } = applied(now.text, fix.edits);
    const after = { text, places: [...places, ...moved(now.places, fix.edits)], ...read(text) };
    // Ways part once.
    return followed(before, after, read, title, depth + 1, next.fixes.length > 1 ? 1 : ways);
  });
}

/** An error that the changed members did not have. */
const isNew = ({ severity, span, code }: Diagnostic, before: Reading, { text, file, places }: Changed): boolean =>
  severity === "error" &&
  span.source.path === before.path &&
  !before.diagnostics.some((d) => d.code === code && textAt(d) === text.slice(span.start, span.end)) &&
  touches(span, members(file, places));

interface Whole {
  readonly fix: Fix;
  readonly after: Changed;
}

/** All of the changes as one. */
function whole(before: Reading, after: Changed, title: string): Whole {
  const edit = difference(before, after.text);
  const end = endOfLine(after.text, edit.span.start + edit.newText.length);
  const written = after.text.slice(lineStart(after.text, edit.span.start), end).trim();
  const isShort = written !== "" && written.length <= 80 && !written.includes("\n");
  return { fix: { title: isShort ? `write \`${written}\`` : title, edits: [edit] }, after };
}

const textAt = ({ span: { source, start, end } }: Diagnostic): string => source.text.slice(start, end);

/** Where places of a text are after edits of it. */
const moved = (places: readonly Place[], edits: readonly Edit[]): readonly Place[] =>
  places.map(({ start, end }) => {
    const by = (at: number): number =>
      edits.reduce(
        (sum, { span, newText }) => (span.end <= at ? sum + newText.length - (span.end - span.start) : sum),
        0,
      );
    return { start: start + by(start), end: end + by(end) };
  });

/** What makes one text of the other: a single edit. */
function difference({ file, text }: Reading, after: string): Edit {
  const shorter = Math.min(text.length, after.length);
  let start = 0;
  while (start < shorter && text[start] === after[start]) start += 1;
  let same = 0;
  while (same < shorter - start && text.at(-1 - same) === after.at(-1 - same)) same += 1;
  const span = { source: file.source, start, end: text.length - same };
  return { span, newText: after.slice(start, after.length - same) };
}

function isMended(
  { path, text, file, diagnostics: before }: Reading,
  mends: Diagnostic,
  own: readonly Edit[],
  { text: after, file: mended, diagnostics: now, places }: Changed,
): boolean {
  const spans = own.map(({ span }) => span);
  const faults = (all: Known, where: readonly Place[]): number =>
    all.filter((d) => d.severity === "error" && d.span.source.path === path && touches(d.span, where)).length;
  // What is still to be filled in is no fault of a fix.
  const isFault = (d: Diagnostic): boolean =>
    d.code !== argumentMissing.code && isOwn(d) && (!isRenamed(mends, own) || isSyntax(d) || aboutNames.has(d.code));
  // What an error of the syntax has hidden may well come out, but no name or clause of the fix's own making.
  const isOwn = (d: Diagnostic): boolean =>
    !isSyntax(mends) || isSyntax(d) || ofTheFix.has(d.code) || (d.code === typeMismatch.code && !isValue(mended, d));
  return (
    faults(now.filter(isFault), members(mended, places)) <
      Math.max(1, faults(before.filter(isOwn), members(file, spans))) &&
    faults(now.filter(isSyntax), linesOf(after, places)) <
      Math.max(1, faults(before.filter(isSyntax), linesOf(text, spans)))
  );
}

const members = (file: File, at: readonly Place[]): readonly Place[] => at.map((place) => memberAt(file, place));

const ofTheFix = new Set([unknownName, misplaced, extendsKind, unitMismatch, wordQuoted].map(({ code }) => code));

/** Whether all that an edit does is to write another name for the one that nobody knows. */
const isRenamed = ({ code, span }: Diagnostic, own: readonly Edit[]): boolean =>
  unknowns.has(code) &&
  own.every((edit) => edit.span.start === span.start && edit.span.end === span.end && /^\w+$/.test(edit.newText));

const unknowns = new Set([argumentUnknown, unknownName, unknownProperty].map(({ code }) => code));

/** What shows that another name was meant: the value is of another type, or means nothing there. What a value of the right type contradicts was hidden by the wrong name. */
const aboutNames = new Set(
  [
    ...[argumentUnknown, blockAssigned, extendsKind, foreignProperty, misplaced, notCallable, setTwice, typeMismatch],
    ...[unitMismatch, unitMissing, unitUnknown, unknownName, unknownProperty, wordQuoted, wrongChoice],
  ].map(({ code }) => code),
);

/** The name that a fix would have written for one that nobody knows, where the rest of the line does not go with it. */
export function nameMeant(diagnostic: Diagnostic): string | null {
  const found = diagnostic.fixes.find(({ edits }) => isRenamed(diagnostic, edits));
  return found?.edits[0]?.newText ?? null;
}

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
    return { start: lineStart(text, start), end: endOfLine(text, end) };
  });

function endOfLine(text: string, from: number): number {
  const next = text.indexOf("\n", from);
  return next < 0 ? text.length : next;
}
