import { positionAt } from "../source/source.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** Whether the text could not be read where this points. */
const isSyntax = ({ code, severity }: Diagnostic): boolean => code.startsWith("cdr/syntax-") && severity === "error";

/** What a name says that was lost with the line that declares it. */
const aboutNames =
  /^cdr\/(name-unknown|call-not-callable|amend-undeclared|member-unknown|import-unknown|operator-operands|assert-failed|plan-unknown|reference-kind|type-mismatch)$/;
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
  const mistakes = diagnostics.filter(isSyntax);
  if (mistakes.length === 0) return diagnostics;
  const broken = new Map<string, Broken>();
  for (const mistake of mistakes) {
    const { path, text } = mistake.span.source;
    const known = broken.get(path) ?? { lines: text.split(/\r\n|\n|\r/), causes: new Map(), words: new Set() };
    broken.set(path, known);
    const line = lineOf(mistake);
    const other = known.causes.get(line);
    if (other === undefined || rank(mistake) < rank(other)) known.causes.set(line, mistake);
    for (const word of (known.lines[line] ?? "").match(/[A-Za-z_]\w*/g) ?? []) known.words.add(word);
  }
  return diagnostics.filter((diagnostic) => {
    const own = broken.get(diagnostic.span.source.path);
    if (own === undefined) return true;
    const cause = own.causes.get(lineOf(diagnostic));
    if (isSyntax(diagnostic)) return cause === undefined || cause.code === diagnostic.code;
    if (diagnostic.severity !== "error") return true;
    return cause === undefined && !holdsBroken(own, diagnostic) && !namesBroken(own, diagnostic);
  });
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

/** Whether the deeper lines below it, which it opens, hold one that could not be read. */
function holdsBroken({ lines, causes }: Broken, diagnostic: Diagnostic): boolean {
  const first = lineOf(diagnostic);
  const indent = indentOf(lines[first] ?? "");
  for (let line = first + 1; line < lines.length; line++) {
    const text = lines[line] ?? "";
    if (text.trim() !== "" && indentOf(text) <= indent) return causes.has(line) && /^\s*[\])}]/.test(text);
    if (causes.has(line)) return true;
  }
  return false;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function namesBroken({ causes, words }: Broken, { code, span }: Diagnostic): boolean {
  const brackets = [...causes.values()].some((cause) => cause.code.startsWith("cdr/syntax-bracket"));
  if (brackets && aboutPlaces.test(code)) return true;
  if (!aboutNames.test(code)) return false;
  const said = span.source.text.slice(span.start, span.end).match(/[A-Za-z_]\w*/g) ?? [];
  return said.some((word) => words.has(word));
}
