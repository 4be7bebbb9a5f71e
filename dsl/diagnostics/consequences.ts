import { positionAt } from "../source/source.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** Whether the text could not be read where this points. */
const isSyntax = ({ code, severity }: Diagnostic): boolean => code.startsWith("cdr/syntax-") && severity === "error";

/** What a name says that was lost with the line that declares it. */
const aboutNames =
  /^cdr\/(name-unknown|call-not-callable|amend-undeclared|member-unknown|import-unknown|operator-operands|assert-failed|plan-unknown|reference-kind|type-mismatch)$/;
/** What is no syntax, but hides a declaration as well. */
const hidesNames = /^cdr\/(misplaced|amend-undeclared|import-unknown|kind-unknown)$/;
const aboutPlaces = /^cdr\/(misplaced|amend-undeclared|kind-unknown|property-unknown)$/;

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
export function withoutConsequences(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const mistakes = diagnostics.filter((each) => isSyntax(each) || hidesNames.test(each.code));
  if (mistakes.length === 0) return diagnostics;
  const broken = new Map<string, Broken>();
  for (const mistake of mistakes) {
    const { path, text } = mistake.span.source;
    const known = broken.get(path) ?? { lines: text.split(/\r\n|\n|\r/), causes: new Map(), words: new Set() };
    broken.set(path, known);
    const line = lineOf(mistake);
    const other = known.causes.get(line);
    if (!isSyntax(mistake)) {
      for (const word of wordsOf(known.lines[line] ?? "")) known.words.add(word);
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
    if (diagnostic.severity !== "error") return true;
    return !holdsBroken(own, diagnostic) && !namesBroken(own, diagnostic);
  });
  return together(kept);
}

/** The same mistake several times on a line is one message, whose fix mends them all. */
function together(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const result: Diagnostic[] = [];
  for (const diagnostic of diagnostics) {
    const index = isSyntax(diagnostic) ? result.findIndex((other) => isTwin(other, diagnostic)) : -1;
    const [first, second] = [result[index], diagnostic];
    if (first === undefined) result.push(diagnostic);
    else if (first.fixes.length === 1 && second.fixes.length === 1) {
      const [fix] = first.fixes;
      const edits = [...(fix?.edits ?? []), ...(second.fixes[0]?.edits ?? [])];
      result[index] = { ...first, fixes: [{ title: fix?.title ?? "", edits }] };
    }
  }
  return result;
}

function isTwin(a: Diagnostic, b: Diagnostic): boolean {
  return a.code === b.code && a.span.source.path === b.span.source.path && lineOf(a) === lineOf(b);
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

interface Broken {
  readonly lines: readonly string[];
  /** By line, the message that stays. */
  readonly causes: Map<number, Diagnostic>;
  readonly words: Set<string>;
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

function namesBroken({ causes, lines, words }: Broken, { code, span }: Diagnostic): boolean {
  if (code === "cdr/name-unknown" && [...causes.keys()].some((line) => /^\s*import\b/.test(lines[line] ?? "")))
    return true;
  const brackets = [...causes.values()].some((cause) => cause.code.startsWith("cdr/syntax-bracket"));
  if (brackets && aboutPlaces.test(code)) return true;
  if (!aboutNames.test(code) || hidesNames.test(code)) return false;
  return wordsOf(span.source.text.slice(span.start, span.end)).some((word) => words.has(word));
}
