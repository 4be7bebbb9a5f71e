/**
 * What a keystroke can change: the declaration that it falls into and all that depends on it, judged as a small file of its own with
 * what those need. The rest of the file is as it was. The whole is judged as soon as nobody types.
 */
import type { Diagnostic, Edit, Related } from "../diagnostics/diagnostic.ts";
import { unknownAmendment, unknownName } from "../diagnostics/catalog/names.ts";
import { notCallable } from "../diagnostics/catalog/calls.ts";
import type { Registry } from "../kind.ts";
import type { Source, Span } from "../source/source.ts";
import type { File, Statement } from "../syntax/ast.ts";
import { inTable } from "../in-table.ts";
import { wordsOf } from "./behind.ts";
import { inOrder, readAnew, type Stretch } from "./part-text.ts";

/** A file that was judged whole, and which words of it stand in which statement. */
export interface Whole {
  readonly file: File;
  readonly diagnostics: readonly Diagnostic[];
  readonly pieces: readonly Piece[];
  /** What the statements declare, and where. */
  readonly declaring: ReadonlyMap<string, readonly number[]>;
  /** How much was read beside it, of which a part needs little. */
  readonly beside: number;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly declares: string | null;
  readonly words: ReadonlySet<string>;
  /** It changes what it speaks of. */
  readonly amends: boolean;
  /** Nobody names it and it makes nothing, yet it may matter to others: imports, launches, presets. */
  readonly isAround: boolean;
}

export interface Part {
  readonly source: Source;
  /** What the source was read as, where that has no mistake. */
  readonly file?: File;
  /** What it speaks of, its imports left aside. */
  readonly words: () => ReadonlySet<string>;
  /** What is judged anew, in the old text. */
  readonly isJudged: (offset: number) => boolean;
  /** Diagnostics of the part and of the rest, in the new text; `null` where only the whole file knows what to advise. */
  readonly join: (found: readonly Diagnostic[], now: Source) => readonly Diagnostic[] | null;
}

/** These name what is nearest among all the names of a file. */
const advising: ReadonlySet<string> = new Set([unknownName.code, unknownAmendment.code, notCallable.code]);

/** A part that is most of what was judged saves nothing. */
const largest = 0.5;

export function wholeOf(file: File, diagnostics: readonly Diagnostic[], registry: Registry, beside: number): Whole {
  const { statements, source } = file;
  const names = new Set(statements.flatMap((s) => declaredBy(s) ?? []));
  const bounds = statements.map(({ span }) => span.start);
  const pieces = statements.map((statement, index): Piece => {
    // With the comments before it: they may document it.
    const start = index === 0 ? 0 : (bounds[index] ?? 0);
    const end = bounds[index + 1] ?? source.text.length;
    const words = wordsIn(source.text.slice(start, statement.span.end), names);
    const declares = declaredBy(statement);
    const amends = declares === null && ["block", "assign", "bound"].includes(statement.kind);
    return { start, end, declares, words, amends, isAround: isAround(statement, registry) };
  });
  const declaring = new Map<string, number[]>();
  for (const [index, { declares }] of pieces.entries())
    if (declares !== null) declaring.set(declares, [...(declaring.get(declares) ?? []), index]);
  return { file, diagnostics, pieces, declaring, beside };
}

const declaredBy = (statement: Statement): string | null =>
  "name" in statement && statement.name !== null ? statement.name.text : null;

function isAround(statement: Statement, registry: Registry): boolean {
  if (statement.kind === "import") return true;
  if (statement.kind !== "block" || statement.name === null) return false;
  const kind = inTable(registry.kinds, statement.head[0].text);
  return kind !== undefined && kind.step !== true && (kind.variant === true || kind.clauses?.includes("on") === true);
}

function wordsIn(text: string, names: { readonly has: (word: string) => boolean }): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [word] of text.matchAll(/[A-Za-z_]\w*/g)) if (names.has(word)) found.add(word);
  return found;
}

/** The part that a new text concerns; `null` where the whole has to be judged. */
export function partOf(whole: Whole, text: string): Part | null {
  const old = whole.file.source.text;
  const { from, to, shift } = change(old, text);
  const at = whole.pieces.findIndex(({ start, end }) => start < from && to < end);
  const edited = whole.pieces[at];
  const statement = whole.file.statements[at];
  // Where declarations begin or end, or a name changes, everything may mean something else.
  if (edited === undefined || statement === undefined) return null;
  if (from <= headEnd(statement) || to >= statement.span.end) return null;
  const now = { ...edited, words: wordsIn(text.slice(edited.start, edited.end + shift), whole.declaring) };
  const pieces = whole.pieces.with(at, now);
  const touched = dependents(pieces, at);
  // What a launch is, every step is judged by.
  const isEffect = [...touched].some(
    (i) => pieces[i]?.isAround === true && whole.file.statements[i]?.kind !== "import",
  );
  const judged = isEffect ? new Set(pieces.keys()) : touched;
  const needed = dependencies(pieces, whole.declaring, judged);
  const size = [...needed].reduce((sum, index) => sum + length(pieces[index]), 0);
  if (size > largest * (old.length + whole.beside)) return null;

  const stretches = [...pieces.entries()].flatMap(([index, { start, end }]): readonly Stretch[] => {
    if (!needed.has(index)) return [];
    const begin = index > at ? start + shift : start;
    const finish = index >= at ? end + shift : end;
    const isImport = whole.file.statements[index]?.kind === "import";
    return [{ index, start: begin, text: text.slice(begin, finish), isJudged: judged.has(index), isImport }];
  });
  const path = `${whole.file.source.path}#part`;
  const { source, file, places } = readAnew(whole, path, stretches, at) ?? inOrder(path, stretches);
  const isJudged = (offset: number): boolean =>
    pieces.some(({ start, end }, index) => judged.has(index) && start <= offset && offset < end);
  const shiftedBy = (offset: number): number => (offset >= to ? offset + shift : offset);
  return {
    source,
    ...(file === undefined ? {} : { file }),
    words: () => wordsOf(stretches.flatMap((stretch) => (stretch.isImport ? [] : stretch.text)).join("\n")),
    isJudged,
    join: (found, fresh) => {
      const path = fresh.path;
      const fromPart = (span: Span): Span => {
        if (span.source.path !== source.path) return span;
        const place = places.findLast((p) => p.at <= span.start);
        const by = place === undefined ? 0 : place.start - place.at;
        return { source: fresh, start: span.start + by, end: span.end + by };
      };
      const fromWhole = (span: Span): Span =>
        span.source.path === path ? { source: fresh, start: shiftedBy(span.start), end: shiftedBy(span.end) } : span;
      const said = found.filter(({ span }) => {
        if (span.source.path !== source.path) return false;
        return places.findLast((p) => p.at <= span.start)?.isJudged === true;
      });
      if (said.some(({ code }) => advising.has(code))) return null;
      const kept = whole.diagnostics.filter(({ span }) => span.source.path !== path || !isJudged(span.start));
      return [...kept.map((d) => moved(d, fromWhole)), ...said.map((d) => moved(d, fromPart))].sort(
        (a, b) => a.span.start - b.span.start,
      );
    },
  };
}

/** Up to where a statement says what it is: beyond it, only what it holds changes. */
function headEnd(statement: Statement): number {
  if (statement.kind === "block") return statement.body?.[0]?.span.start ?? Infinity;
  if (statement.kind === "let" || statement.kind === "secret") return statement.value.span.start;
  if (statement.kind === "assert" || statement.kind === "expect") return statement.condition.span.start;
  if (statement.kind === "fn") return statement.body.span.start;
  if (statement.kind === "assign" || statement.kind === "bound") return statement.value.span.start;
  return Infinity;
}

/** The stretch of the old text that is different, and by how much the text behind it has moved. */
function change(old: string, now: string): { from: number; to: number; shift: number } {
  const most = Math.min(old.length, now.length);
  let from = 0;
  while (from + block <= most && old.slice(from, from + block) === now.slice(from, from + block)) from += block;
  while (from < most && old.charCodeAt(from) === now.charCodeAt(from)) from++;
  const shift = now.length - old.length;
  let to = old.length;
  const least = old.length - most + from;
  while (to - block >= least && old.slice(to - block, to) === now.slice(to - block + shift, to + shift)) to -= block;
  while (to > least && old.charCodeAt(to - 1) === now.charCodeAt(to - 1 + shift)) to--;
  return { from, to, shift };
}

/** Characters that are compared at once. */
const block = 512;

function dependents(pieces: readonly Piece[], first: number): ReadonlySet<number> {
  const found = new Set([first]);
  const edited = pieces[first];
  const names = [...(edited?.declares === null ? [] : [edited?.declares ?? ""])];
  if (edited?.amends === true) names.push(...edited.words);
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    for (const [index, { words, declares }] of pieces.entries()) {
      if (found.has(index) || (!words.has(name) && declares !== name)) continue;
      found.add(index);
      if (declares !== null) names.push(declares);
    }
  }
  return found;
}

/** What is judged, what stands around everything, and all that these need. */
function dependencies(
  pieces: readonly Piece[],
  declaring: Whole["declaring"],
  judged: ReadonlySet<number>,
): ReadonlySet<number> {
  const found = new Set(judged);
  const open = [...judged];
  const amendments = [...pieces.entries()].filter(([, { amends }]) => amends);
  for (const [index, { isAround: around }] of pieces.entries()) if (around && !found.has(index)) open.push(index);
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    found.add(index);
    const piece = pieces[index];
    for (const word of piece?.words ?? [])
      for (const other of declaring.get(word) ?? []) if (!found.has(other)) open.push(other);
    const declares = piece?.declares ?? null;
    // An amendment of something that is needed belongs to it.
    if (declares !== null)
      for (const [other, { words }] of amendments) if (!found.has(other) && words.has(declares)) open.push(other);
  }
  return found;
}

const length = (piece: Piece | undefined): number => (piece === undefined ? 0 : piece.end - piece.start);

function moved(diagnostic: Diagnostic, to: (span: Span) => Span): Diagnostic {
  return {
    ...diagnostic,
    span: to(diagnostic.span),
    related: diagnostic.related.map((note): Related => ({ ...note, span: to(note.span) })),
    fixes: diagnostic.fixes.map(({ title, edits }) => ({
      title,
      edits: edits.map((edit): Edit => ({ ...edit, span: to(edit.span) })),
    })),
  };
}
