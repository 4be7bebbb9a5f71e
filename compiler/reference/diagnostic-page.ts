/** The page of a diagnostic: its cause, an example that it is told of, and what mends it. */
import type { Severity } from "../../dsl/diagnostics/diagnostic.ts";
import { fence, lines, sentence } from "./kind-page.ts";

export interface DiagnosticCase {
  /** The mistake as `cdrc check` shows it. */
  readonly shown: string;
  /** The text after the fix, where one is offered and the text is short. */
  readonly mended: string | null;
  /** The nearest files of other tools that are right. */
  readonly passes?: string;
}

export interface DiagnosticEntry {
  readonly code: string;
  readonly severity: Severity;
  readonly explanation: string;
  readonly fix: string;
  readonly source: string | null;
}

export const slugOf = (code: string): string => code.replace(/^cdr\//, "");

export function diagnosticPage(
  { code, severity, explanation, fix, source }: DiagnosticEntry,
  example: DiagnosticCase | null,
): string {
  return lines([
    `# ${code}`,
    `_${severity}_`,
    "## Cause",
    explanation.trim(),
    ...(source === null ? [] : [`Source: \`${source}\``]),
    ...(example === null ? [] : ["## Example", fence(example.shown, "text")]),
    "## Fix",
    fix,
    ...(example?.mended == null ? [] : ["The fix gives:", fence(example.mended)]),
    ...(example?.passes === undefined ? [] : ["This is right:", fence(example.passes, "text")]),
    `\`cdrc explain ${slugOf(code)}\` shows this page's text. [All diagnostics](README.md)`,
  ]);
}

/** Its headings are what the `help` of a diagnostic points at. */
export function diagnosticIndex(entries: readonly DiagnosticEntry[]): string {
  return lines([
    "# Diagnostics",
    "Every code that `cdrc check` knows, with a page of its own. Generated from the code by `npm run docs`.",
    ...entries.flatMap(({ code, severity, explanation }) => [
      `### ${slugOf(code)}`,
      `_${severity}_ · ${firstSentence(explanation)} [More](${slugOf(code)}.md)`,
    ]),
  ]);
}

function firstSentence(text: string): string {
  const plain = text.trim().replaceAll(/\s+/g, " ");
  return sentence(/^.*?[.!?](?= [A-Z`]|$)/.exec(plain)?.[0] ?? plain);
}
