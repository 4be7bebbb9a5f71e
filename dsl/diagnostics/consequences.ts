import { positionAt } from "../source/source.ts";
import { duplicateName, unknownName } from "./catalog/names.ts";
import { setTwice, unknownProperty } from "./catalog/properties.ts";
import { unusedSecret } from "./catalog/settings.ts";
import { typeMismatch } from "./catalog/values.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** Whether the text could not be read where this points. */
const isSyntax = ({ code, severity }: Diagnostic): boolean => code.startsWith("cdr/syntax-") && severity === "error";

/** What a name says that was lost with the line that declares it. */
const aboutNames =
  /^cdr\/(name-unknown|call-not-callable|amend-undeclared|member-unknown|import-unknown|operator-operands|assert-failed|plan-unknown|reference-kind|type-mismatch)$/;
/** What is no syntax, but hides a declaration as well. */
const hidesNames = /^cdr\/(misplaced|amend-undeclared|import-unknown|kind-unknown)$/;
const aboutPlaces = /^cdr\/(misplaced|amend-undeclared|kind-unknown|property-unknown)$/;

/** A block that declares something where it cannot stand: what it would have declared is not there. */
const declaresElsewhere = ({ code, span }: Diagnostic): boolean =>
  code === unknownProperty.code && /^\w+[ \t]+\w+[^={\r\n]*\{/.test(span.source.text.slice(span.start));

/** Of several on one line the first of these is the cause. */
const causes = [
  "cdr/syntax-encoding",
  "cdr/syntax-string-unterminated",
  "cdr/syntax-string-quotes",
  "cdr/syntax-character",
  "cdr/syntax-comment",
];

/**
 * Leaves out what only follows from text that could not be read: a line says one thing, a block with such a line may well
 * have what it seems to lack, and a name on such a line may well be declared there.
 */
export function withoutConsequences(all: readonly Diagnostic[]): readonly Diagnostic[] {
  const diagnostics = withoutParts(all);
  const mistakes = diagnostics.filter(
    (each) => isSyntax(each) || hidesNames.test(each.code) || declaresElsewhere(each),
  );
  const twice = diagnostics.filter(({ code }) => code === duplicateName.code);
  if (mistakes.length === 0) return twice.length === 0 ? diagnostics : withoutSums(diagnostics, twice);
  const broken = new Map<string, Broken>();
  for (const mistake of mistakes) {
    const { path, text } = mistake.span.source;
    const known = broken.get(path) ?? {
      lines: text.split(/\r\n|\n|\r/),
      causes: new Map(),
      words: new Set(),
      anyName: false,
    };
    broken.set(path, known);
    const line = lineOf(mistake);
    const other = known.causes.get(line);
    known.anyName ||= nameless.test(known.lines[line] ?? "");
    if (!isSyntax(mistake)) {
      for (const word of wordsOf(known.lines[line] ?? "")) known.words.add(word);
      for (const text of known.lines.slice(line + 1, endOfBlock(known.lines, line))) {
        const given = /^\s*(\w+)\s*=/.exec(text)?.[1];
        if (given !== undefined) known.words.add(given);
      }
      continue;
    }
    if (other === undefined || rank(mistake) < rank(other)) known.causes.set(line, mistake);
    for (const text of known.lines.slice(line, endOfBlock(known.lines, line))) {
      for (const word of wordsOf(text)) known.words.add(word);
    }
  }
  const kept = diagnostics.filter((diagnostic) => {
    const own = broken.get(diagnostic.span.source.path);
    if (own === undefined) return true;
    const cause = own.causes.get(lineOf(diagnostic));
    if (isSyntax(diagnostic)) {
      const opened = diagnostic.related.map((note) =>
        own.causes.get(positionAt(note.span.source, note.span.start).line),
      );
      return cause?.code === diagnostic.code && opened.every((other) => other === undefined || other === cause);
    }
    if (diagnostic.code === unusedSecret.code) return false;
    if (diagnostic.severity !== "error") return true;
    // Which of two values counts is no question while one of them cannot be read.
    const isRepeat = diagnostic.code === setTwice.code;
    if (isRepeat && diagnostic.related.some(({ span }) => own.causes.has(positionAt(span.source, span.start).line)))
      return false;
    return !holdsBroken(own, diagnostic) && !namesBroken(own, diagnostic);
  });
  return together(twice.length === 0 ? kept : withoutSums(kept, twice));
}

/** A value of the wrong type is one mistake: its names would mean something else in the right one. Nothing is said twice. */
function withoutParts(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const wrong = diagnostics.filter(({ code }) => code === typeMismatch.code);
  const said = new Set<string>();
  return diagnostics.filter(({ code, span }) => {
    const holds = ({ span: whole }: Diagnostic): boolean =>
      whole.source === span.source && whole.start < span.start && whole.end >= span.end;
    if (code === unknownName.code && wrong.some(holds)) return false;
    if (code !== setTwice.code) return true;
    const place = `${span.source.path}\0${span.start}`;
    const isNew = !said.has(place);
    said.add(place);
    return isNew;
  });
}

/** What is said of a block as a whole, where something in it is declared twice and counts once: its sum, its shares. */
function withoutSums(diagnostics: readonly Diagnostic[], twice: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter((diagnostic) => {
    if (diagnostic.severity !== "error" || isSyntax(diagnostic)) return true;
    const { source, start } = diagnostic.span;
    const inside = twice.filter(({ span }) => span.source === source && start < span.start);
    if (inside.length === 0) return true;
    const lines = source.text.split(/\r\n|\n|\r/);
    const end = endOfBlock(lines, lineOf(diagnostic));
    return diagnostic.code === duplicateName.code || !inside.some((each) => lineOf(each) < end);
  });
}

/** The same mistake several times on a line, or on lines in a row, is one message, whose fix mends them all. */
function together(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const result: Diagnostic[] = [];
  /** By file and kind of mistake: the message that speaks for a run of lines, and the last of them. */
  const runs = new Map<string, { readonly index: number; line: number }>();
  for (const diagnostic of diagnostics) {
    const key = `${diagnostic.span.source.path}\0${sort(diagnostic)}`;
    const line = lineOf(diagnostic);
    const run = isSyntax(diagnostic) ? runs.get(key) : undefined;
    const first = result[run?.index ?? -1];
    if (run === undefined || first === undefined || line > run.line + 1 || line < run.line) {
      runs.set(key, { index: result.length, line });
      result.push(diagnostic);
      continue;
    }
    const isNewLine = line > run.line;
    run.line = line;
    const related = isNewLine ? [{ message: "here too", span: diagnostic.span }] : [];
    result[run.index] = { ...joined(first, diagnostic), related: [...first.related, ...related] };
  }
  return result;
}

/** Text that is no member at all has several codes, by what it happens to look like. */
function sort({ code }: Diagnostic): string {
  return /^cdr\/syntax-(unexpected|separator|member)$/.test(code) ? "unreadable" : code;
}

function joined(first: Diagnostic, second: Diagnostic): Diagnostic {
  const [fix] = first.fixes;
  const [other] = second.fixes;
  if (first.code !== second.code || fix === undefined || other === undefined) return first;
  if (first.fixes.length > 1 || second.fixes.length > 1) return first;
  return { ...first, fixes: [{ title: fix.title, edits: [...fix.edits, ...other.edits] }] };
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

interface Broken {
  readonly lines: readonly string[];
  /** By line, the message that stays. */
  readonly causes: Map<number, Diagnostic>;
  readonly words: Set<string>;
  /** A line declares something, and does not say what. */
  anyName: boolean;
}

function lineOf({ span }: Diagnostic): number {
  return positionAt(span.source, span.start).line;
}

function rank({ code }: Diagnostic): number {
  const index = causes.indexOf(code);
  return index < 0 ? causes.length : index;
}

/** Whether it, or the deeper lines below it, hold one that could not be read. */
function holdsBroken({ lines, causes }: Broken, diagnostic: Diagnostic): boolean {
  const first = lineOf(diagnostic);
  const end = endOfBlock(lines, first);
  for (let line = first; line < end; line++) if (causes.has(line)) return true;
  return false;
}

/** The first line below that does not belong to the block which this line may open. */
function endOfBlock(lines: readonly string[], first: number): number {
  const indent = indentOf(lines[first] ?? "");
  for (let line = first + 1; line < lines.length; line++) {
    const text = lines[line] ?? "";
    if (text.trim() === "" || indentOf(text) > indent) continue;
    return /^\s*[\])}]/.test(text) ? line + 1 : line;
  }
  return lines.length;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** A declaration that lost its name may have given any. */
const nameless = /^\s*(?:param|let|fn|enum|secret)\s*[:=({]/;

function namesBroken({ causes, lines, words, anyName }: Broken, { code, span }: Diagnostic): boolean {
  if (code === "cdr/name-unknown" && [...causes.keys()].some((line) => /^\s*import\b/.test(lines[line] ?? "")))
    return true;
  if (anyName && (code === "cdr/name-unknown" || code === "cdr/call-not-callable")) return true;
  const brackets = [...causes.values()].some((cause) => cause.code.startsWith("cdr/syntax-bracket"));
  if (brackets && aboutPlaces.test(code)) return true;
  if (!aboutNames.test(code) || hidesNames.test(code)) return false;
  return wordsOf(span.source.text.slice(span.start, span.end)).some((word) => words.has(word));
}
