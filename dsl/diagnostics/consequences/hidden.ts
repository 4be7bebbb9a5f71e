import { positionAt, type Span } from "../../source/source.ts";
import { unknownAmendment, unknownName } from "../catalog/names.ts";
import { missingProperty, unknownProperty } from "../catalog/properties.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Broken } from "./broken.ts";
import { derived, endOfBlock, lineOf, startOfStatement, wordsOf } from "./statements.ts";

/** What a name says that was lost with the line that declares it. */
const aboutNames =
  /^cdr\/(name-unknown|call-not-callable|amend-undeclared|member-unknown|import-unknown|operator-operands|assert-failed|plan-unknown|reference-kind|type-mismatch|argument-unknown|argument-excess|variant-unknown|vary-unknown|match-dead|cluster-idle)$/;
/** What is no syntax, but hides a declaration as well. */
export const hidesNames = /^cdr\/(misplaced|amend-undeclared|import-unknown|kind-unknown|name-missing)$/;
/** What is said of a name that may be one of those which an import did not bring. */
const aboutImported = /^cdr\/(name-unknown|amend-undeclared|value-choice|formula-term)$/;
/** What is said of arguments follows from what is called, whatever they name. */
const aboutArguments = /^cdr\/argument-(?:unknown|excess)$/;
const aboutPlaces = /^cdr\/(misplaced|amend-undeclared|kind-unknown|property-unknown)$/;

/** Whether it, or the deeper lines below it, hold one that could not be read. */
export function holdsBroken({ lines, causes }: Broken, diagnostic: Diagnostic): boolean {
  const first = lineOf(diagnostic);
  const end = endOfBlock(lines, first);
  for (let line = first; line < end; line++) if (causes.has(line)) return true;
  return false;
}

/** Whether the statement that a note points into could not be read: what is compared with it may be another. */
export function statementBroken(own: Broken | undefined, { source, start }: Span): boolean {
  if (own === undefined) return false;
  const first = startOfStatement(own.lines, positionAt(source, start).line);
  const end = endOfBlock(own.lines, first);
  return [...own.causes.keys()].some((line) => line >= first && line < end);
}

/** Whether the statement that it stands in speaks of a block whose header cannot be read. */
export function extendsBroken({ lines, declares, holds }: Broken, diagnostic: Diagnostic): boolean {
  const header = lines[startOfStatement(lines, lineOf(diagnostic))] ?? "";
  const base = derived.exec(header)?.[2];
  if (diagnostic.code === missingProperty.code && base !== undefined && holds.has(base)) return true;
  return declares.size > 0 && wordsOf(/^[^{=]*/.exec(header)?.[0] ?? "").some((word) => declares.has(word));
}

/** The name before the bracket that an argument stands in. */
function calledAt({ source: { text }, start }: Span): readonly string[] {
  let depth = 0;
  for (let at = start - 1; at >= 0; at--) {
    const sign = text[at] ?? "";
    if (/[)\]}]/.test(sign)) depth++;
    else if (/[([{]/.test(sign) && depth-- === 0) return wordsOf(/\w*\s*$/.exec(text.slice(0, at))?.[0] ?? "");
  }
  return [];
}

export function namesBroken(own: Broken, diagnostic: Diagnostic): boolean {
  const { code, span, fixes } = diagnostic;
  const { hides, words, declares, imports, anyName, anyBlock, anyImport, anyBracket } = own;
  const said = aboutArguments.test(code) ? calledAt(span) : wordsOf(span.source.text.slice(span.start, span.end));
  const isAmendment = code === unknownAmendment.code;
  if (anyImport && (code === unknownName.code || isAmendment)) return true;
  if (aboutImported.test(code) && imports.has(said[0] ?? "")) return true;
  if (isAmendment && declares.has(said[0] ?? "")) return true;
  if (code === unknownProperty.code && declares.has(said[0] ?? "") && !hides.has(lineOf(diagnostic))) return true;
  // A name that is close to another one is that, misspelt; that a library has one somewhat like it says nothing.
  const isMisspelt = fixes.some(({ edits }) => edits.length === 1);
  if (anyBlock && !isMisspelt && (code === unknownName.code || isAmendment)) return true;
  if (anyName && (code === unknownName.code || code === "cdr/call-not-callable")) return true;
  if (anyBracket && aboutPlaces.test(code)) return true;
  if (!aboutNames.test(code) || hidesNames.test(code)) return false;
  return said.some((word) => words.has(word));
}
