import { positionAt, type Source, type Span } from "../source/source.ts";
import {
  duplicateName,
  importUnknown,
  missingName,
  unknownAmendment,
  unknownKind,
  unknownName,
} from "./catalog/names.ts";
import { missingProperty, setTwice, unknownProperty } from "./catalog/properties.ts";
import { unusedSecret } from "./catalog/settings.ts";
import { typeMismatch, noMember } from "./catalog/values.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** Whether the text could not be read where this points. */
const isSyntax = ({ code, severity }: Diagnostic): boolean => code.startsWith("cdr/syntax-") && severity === "error";

/** What a name says that was lost with the line that declares it. */
const aboutNames =
  /^cdr\/(name-unknown|call-not-callable|amend-undeclared|member-unknown|import-unknown|operator-operands|assert-failed|plan-unknown|reference-kind|type-mismatch|argument-unknown|argument-excess|variant-unknown|vary-unknown|match-dead)$/;
/** What is no syntax, but hides a declaration as well. */
const hidesNames = /^cdr\/(misplaced|amend-undeclared|import-unknown|kind-unknown|name-missing)$/;
/** What is said of a name that may be one of those which an import did not bring. */
const aboutImported = /^cdr\/(name-unknown|amend-undeclared|value-choice|formula-term)$/;
const aboutPlaces = /^cdr\/(misplaced|amend-undeclared|kind-unknown|property-unknown)$/;

/** An assertion declares nothing, whatever is wrong in it, as long as it ends on its line. */
const judgesOnly = ({ code }: Diagnostic, line: string): boolean =>
  /^\s*(?:assert|expect)\b/.test(line) && !/bracket|string/.test(code);

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
  const twice = diagnostics.filter((each) => each.code === duplicateName.code || declaresElsewhere(each));
  if (mistakes.length === 0) return twice.length === 0 ? diagnostics : withoutSums(diagnostics, twice);
  const broken = new Map<string, Broken>();
  for (const mistake of mistakes) {
    const { path, text } = mistake.span.source;
    const known = broken.get(path) ?? {
      lines: text.split(/\r\n|\n|\r/),
      causes: new Map(),
      hides: new Set(),
      words: new Set(),
      declares: new Set(),
      holds: new Set(),
      imports: new Set(),
      anyName: false,
      anyBlock: false,
      anyImport: false,
      anyBracket: false,
    };
    broken.set(path, known);
    const line = lineOf(mistake);
    const other = known.causes.get(line);
    known.anyName ||= nameless.test(known.lines[line] ?? "");
    known.anyBlock ||= mistake.code === missingName.code;
    if (mistake.code === importUnknown.code) for (const name of mistake.valid) known.imports.add(name);
    if (!isSyntax(mistake)) {
      known.hides.add(line);
      if (mistake.code === unknownKind.code || declaresElsewhere(mistake))
        for (const name of wordsOf(/^[^{]*/.exec(known.lines[line] ?? "")?.[0] ?? "")) known.declares.add(name);
      for (const word of wordsOf(hiding(mistake))) known.words.add(word);
      for (const text of known.lines.slice(line + 1, endOfBlock(known.lines, line))) {
        const given = /^\s*(\w+)\s*=/.exec(text)?.[1];
        if (given !== undefined) known.words.add(given);
      }
      continue;
    }
    if (other === undefined || rank(mistake) < rank(other)) known.causes.set(line, mistake);
    if (judgesOnly(mistake, known.lines[line] ?? "")) continue;
    for (const name of declaredOn(known.lines[line] ?? "")) known.declares.add(name);
    for (const text of known.lines.slice(line, endOfBlock(known.lines, line))) {
      for (const word of wordsOf(text)) known.words.add(word);
    }
  }
  for (const own of broken.values()) {
    for (const line of own.causes.keys()) {
      const header = own.lines[startOfStatement(own.lines, line)] ?? "";
      for (const name of declaredOn(header).slice(0, 1)) own.holds.add(name);
    }
    const imports = [...own.causes.keys()].map((line) => own.lines[line] ?? "").filter((line) => isImport.test(line));
    own.anyImport = imports.length > 0;
    for (const line of imports) for (const word of wordsOf(line)) own.imports.add(word);
    for (const line of own.lines) {
      const [, name = "", base = ""] = derived.exec(line) ?? [];
      if (own.declares.has(base)) own.declares.add(name);
      if (own.holds.has(base)) own.holds.add(name);
    }
    own.anyBracket = [...own.causes.values()].some(({ code }) => code.startsWith("cdr/syntax-bracket"));
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
    const isLost = (line: number): boolean => own.causes.has(line) || own.hides.has(line);
    const isRepeat = diagnostic.code === setTwice.code;
    if (isRepeat && diagnostic.related.some(({ span }) => isLost(positionAt(span.source, span.start).line)))
      return false;
    if (holdsBroken(own, diagnostic) || namesBroken(own, diagnostic)) return false;
    if (diagnostic.related.some(({ span }) => statementBroken(broken.get(span.source.path), span))) return false;
    return !(/^cdr\/(?:property-missing|misplaced)$/.test(diagnostic.code) && extendsBroken(own, diagnostic));
  });
  return together(twice.length === 0 ? kept : withoutSums(kept, twice));
}

/** A value of the wrong type is one mistake: its names would mean something else in the right one. Nothing is said twice. */
function withoutParts(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
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
function withoutSums(diagnostics: readonly Diagnostic[], twice: readonly Diagnostic[]): readonly Diagnostic[] {
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

/** The same mistake several times on a line, or on lines in a row, is one message, whose fix mends them all. */
function together(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const result: Diagnostic[] = [];
  /** By file and kind of mistake: the message that speaks for a run of lines, and the last of them. */
  const runs = new Map<string, { readonly index: number; line: number }>();
  for (const diagnostic of diagnostics) {
    const key = `${diagnostic.span.source.path}\0${sort(diagnostic)}`;
    const line = lineOf(diagnostic);
    const isAnywhere = diagnostic.code === unknownAmendment.code;
    const run = isSyntax(diagnostic) || isAnywhere ? runs.get(key) : undefined;
    const first = result[run?.index ?? -1];
    const isApart = run !== undefined && !isAnywhere && (line > run.line + 1 || line < run.line);
    if (run === undefined || first === undefined || isApart) {
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

/** Text that is no member at all has several codes, by what it happens to look like; one name is one mistake. */
function sort({ code, span: { source, start, end } }: Diagnostic): string {
  if (code === unknownAmendment.code) return source.text.slice(start, end);
  return /^cdr\/syntax-(unexpected|separator|member)$/.test(code) ? "unreadable" : code;
}

function joined(first: Diagnostic, second: Diagnostic): Diagnostic {
  if (first.code !== second.code || second.fixes.length === 0) return first;
  const fixes = first.fixes
    .slice(0, second.fixes.length)
    .map(({ title, edits }, index) => ({ title, edits: [...edits, ...(second.fixes[index]?.edits ?? [])] }));
  return { ...first, fixes };
}

/** What a mistake keeps from being declared: what it names and what stands behind that, or a statement that is all of it. */
function hiding({ span: { source, start, end } }: Diagnostic): string {
  const own = source.text.slice(start, end);
  return own.includes("=") ? own : (/^.*/.exec(source.text.slice(start))?.[0] ?? own);
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

interface Broken {
  readonly lines: readonly string[];
  /** By line, the message that stays. */
  readonly causes: Map<number, Diagnostic>;
  /** Lines with what declares nothing, or amends what is not declared. */
  readonly hides: Set<number>;
  readonly words: Set<string>;
  /** Blocks whose header cannot be read, and those that extend them. */
  readonly declares: Set<string>;
  /** Blocks that hold a line which could not be read, and those that extend them. */
  readonly holds: Set<string>;
  /** What an import names, or may have meant. */
  readonly imports: Set<string>;
  /** A line declares something, and does not say what. */
  anyName: boolean;
  /** A block has no name. */
  anyBlock: boolean;
  /** A line that cannot be read is an import. */
  anyImport: boolean;
  /** What cannot be read is a bracket. */
  anyBracket: boolean;
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

/** Whether the statement that a note points into could not be read: what is compared with it may be another. */
function statementBroken(own: Broken | undefined, { source, start }: Span): boolean {
  if (own === undefined) return false;
  const first = startOfStatement(own.lines, positionAt(source, start).line);
  const end = endOfBlock(own.lines, first);
  return [...own.causes.keys()].some((line) => line >= first && line < end);
}

/** The line at the margin that begins the statement which a line stands in. */
function startOfStatement(lines: readonly string[], line: number): number {
  let first = line;
  while (first > 0 && (indentOf(lines[first] ?? "") > 0 || /^[\])}]/.test(lines[first] ?? ""))) first -= 1;
  return first;
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

const isImport = /^\s*(?:"[^"]*"\s+)?import\b/;
const derived = /^\s*(?:abstract\s+)?\w+\s+(\w+)\s+extends\s+(\w+)/;

/** The names that a header may have meant to give; `stage stage train {` leaves two. */
function declaredOn(line: string): readonly string[] {
  const [, header = ""] = /^\s*(?:abstract\s+)?(\w+\s+\w[\w\s]*?)\s*(?:extends\b.*|\{.*|)$/.exec(line) ?? [];
  return wordsOf(header).slice(1);
}

/** Whether the statement that it stands in speaks of a block whose header cannot be read. */
function extendsBroken({ lines, declares, holds }: Broken, diagnostic: Diagnostic): boolean {
  const header = lines[startOfStatement(lines, lineOf(diagnostic))] ?? "";
  const base = derived.exec(header)?.[2];
  if (diagnostic.code === missingProperty.code && base !== undefined && holds.has(base)) return true;
  return declares.size > 0 && wordsOf(/^[^{=]*/.exec(header)?.[0] ?? "").some((word) => declares.has(word));
}

function namesBroken(own: Broken, diagnostic: Diagnostic): boolean {
  const { code, span, fixes } = diagnostic;
  const { hides, words, declares, imports, anyName, anyBlock, anyImport, anyBracket } = own;
  const said = wordsOf(span.source.text.slice(span.start, span.end));
  const isAmendment = code === unknownAmendment.code;
  if (anyImport && (code === unknownName.code || isAmendment)) return true;
  if (aboutImported.test(code) && imports.has(said[0] ?? "")) return true;
  if (isAmendment && declares.has(said[0] ?? "")) return true;
  if (code === unknownProperty.code && declares.has(said[0] ?? "") && !hides.has(lineOf(diagnostic))) return true;
  // A name that is close to another one is that, misspelt.
  if (anyBlock && fixes.length === 0 && (code === unknownName.code || isAmendment)) return true;
  if (anyName && (code === unknownName.code || code === "cdr/call-not-callable")) return true;
  if (anyBracket && aboutPlaces.test(code)) return true;
  if (!aboutNames.test(code) || hidesNames.test(code)) return false;
  return said.some((word) => words.has(word));
}
