import { foreignImport } from "../catalog/syntax.ts";
import { importUnknown, missingName, unknownKind } from "../catalog/names.ts";
import { unknownProperty } from "../catalog/properties.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { declaredOn, derived, endOfBlock, lineOf, startOfStatement, wordsOf } from "./statements.ts";

/** Whether the text could not be read where this points. */
export const isSyntax = ({ code, severity }: Diagnostic): boolean =>
  code.startsWith("cdr/syntax-") && severity === "error";

/** An assertion declares nothing, whatever is wrong in it, as long as it ends on its line. */
const judgesOnly = ({ code }: Diagnostic, line: string): boolean =>
  /^\s*(?:assert|expect)\b/.test(line) && !/bracket|string/.test(code);

/** A block that declares something where it cannot stand: what it would have declared is not there. */
export const declaresElsewhere = ({ code, span }: Diagnostic): boolean =>
  code === unknownProperty.code && /^\w+[ \t]+\w+[^={\r\n]*\{/.test(span.source.text.slice(span.start));

/** Of several on one line the first of these is the cause. */
const causes = [
  "cdr/syntax-encoding",
  "cdr/syntax-string-unterminated",
  "cdr/syntax-string-quotes",
  "cdr/syntax-character",
  "cdr/syntax-comment",
];

/** A declaration that lost its name may have given any. */
const nameless = /^\s*(?:param|let|fn|enum|secret)\s*[:=({]/;

const isImport = /^\s*(?:"[^"]*"\s+)?import\b/;

/** The names that mistakes keep from being declared. */
interface Lost {
  /** Every word that may have been declared or set. */
  readonly words: Set<string>;
  /** Blocks whose header cannot be read, and those that extend them. */
  readonly declares: Set<string>;
  /** Blocks that hold a line which could not be read, and those that extend them. */
  readonly holds: Set<string>;
  /** What an import names, or may have meant. */
  readonly imports: Set<string>;
}

/** What the mistakes of one file hide. */
export interface Broken extends Lost {
  readonly lines: readonly string[];
  /** By line, the message that stays. */
  readonly causes: ReadonlyMap<number, Diagnostic>;
  /** Lines with what declares nothing, or amends what is not declared. */
  readonly hides: ReadonlySet<number>;
  /** A line declares something, and does not say what. */
  readonly anyName: boolean;
  /** A block has no name. */
  readonly anyBlock: boolean;
  /** A line that cannot be read is an import. */
  readonly anyImport: boolean;
  /** What cannot be read is a bracket. */
  readonly anyBracket: boolean;
}

/** What the mistakes of each file hide, by its path. */
export function brokenBy(mistakes: readonly Diagnostic[]): ReadonlyMap<string, Broken> {
  const broken = new Map<string, Broken>();
  for (const [path, own] of Map.groupBy(mistakes, ({ span }) => span.source.path)) broken.set(path, brokenIn(own));
  return broken;
}

/** The same for the mistakes of one file. */
function brokenIn(mistakes: readonly Diagnostic[]): Broken {
  // What takes no room in a name is no part of it.
  const text = (mistakes[0]?.span.source.text ?? "").replaceAll(/[\u200b\u2060\ufeff]/g, "");
  const lines = text.split(/\r\n|\n|\r/);
  const lost: Lost = { words: new Set(), declares: new Set(), holds: new Set(), imports: new Set() };
  const causes = new Map<number, Diagnostic>();
  const hides = new Set<number>();
  const unreadable = new Set<number>();
  for (const mistake of mistakes) {
    const line = lineOf(mistake);
    if (mistake.code === importUnknown.code) for (const name of mistake.valid) lost.imports.add(name);
    if (isSyntax(mistake)) {
      const other = causes.get(line);
      if (other === undefined || rank(mistake) < rank(other)) causes.set(line, mistake);
      if (!unreadable.has(line) && !judgesOnly(mistake, lines[line] ?? "")) {
        unreadable.add(line);
        loseUnreadable(lost, lines, line);
      }
    } else {
      hides.add(line);
      loseUndeclared(lost, lines, mistake);
    }
  }
  const imports = [...causes]
    .map(([line, { code }]) => [lines[line] ?? "", code] as const)
    .filter(([text, code]) => isImport.test(text) || code === foreignImport.code)
    .map(([text]) => text);
  for (const text of imports) for (const word of wordsOf(text)) lost.imports.add(word);
  for (const line of causes.keys()) {
    const header = lines[startOfStatement(lines, line)] ?? "";
    for (const name of declaredOn(header).slice(0, 1)) lost.holds.add(name);
  }
  passOn(lost, lines);
  return {
    ...lost,
    lines,
    causes,
    hides,
    anyName: mistakes.some((mistake) => nameless.test(lines[lineOf(mistake)] ?? "")),
    anyBlock: mistakes.some(({ code }) => code === missingName.code),
    anyImport: imports.length > 0,
    anyBracket: [...causes.values()].some(({ code }) => code.startsWith("cdr/syntax-bracket")),
  };
}

/** A line that cannot be read may declare most of its words, and so may the block that it opens. */
function loseUnreadable({ declares, words }: Lost, lines: readonly string[], line: number): void {
  for (const name of declaredOn(lines[line] ?? "")) declares.add(name);
  for (const text of lines.slice(line, endOfBlock(lines, line)))
    for (const word of wordsOf(named(text))) words.add(word);
}

/** Where a line gives a name its value, the names in that value are not what it declares. */
function named(text: string): string {
  const given = /^\s*(?:let|param)\s+\w+(?=\s*[=:])/.exec(text)?.[0];
  return given === undefined ? text : [given, ...(text.match(/\b\w+(?=\s*[=:](?!=))/g) ?? [])].join(" ");
}

/** A line that can be read and declares nothing where it stands: its names are missing, and so is what its block sets. */
function loseUndeclared({ declares, words }: Lost, lines: readonly string[], mistake: Diagnostic): void {
  const line = lineOf(mistake);
  if (mistake.code === unknownKind.code || declaresElsewhere(mistake))
    for (const name of wordsOf(/^[^{]*/.exec(lines[line] ?? "")?.[0] ?? "")) declares.add(name);
  for (const word of wordsOf(hiding(mistake))) words.add(word);
  for (const text of lines.slice(line + 1, endOfBlock(lines, line))) {
    const given = /^\s*(\w+)\s*=/.exec(text)?.[1];
    if (given !== undefined) words.add(given);
  }
}

/** A block that extends one which lost something may lack the same. */
function passOn({ declares, holds }: Lost, lines: readonly string[]): void {
  for (const line of lines) {
    const [, name = "", base = ""] = derived.exec(line) ?? [];
    if (declares.has(base)) declares.add(name);
    if (holds.has(base)) holds.add(name);
  }
}

/** What a mistake keeps from being declared: what it names and what stands behind that, or a statement that is all of it. */
function hiding({ span: { source, start, end } }: Diagnostic): string {
  const own = source.text.slice(start, end);
  return own.includes("=") ? own : (/^.*/.exec(source.text.slice(start))?.[0] ?? own);
}

function rank({ code }: Diagnostic): number {
  const index = causes.indexOf(code);
  return index < 0 ? causes.length : index;
}
