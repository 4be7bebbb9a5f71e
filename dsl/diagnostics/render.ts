import { positionAt, type Span } from "../source/source.ts";
import type { Diagnostic, Severity } from "./diagnostic.ts";
import { excerpt, type ExcerptLine } from "./excerpt.ts";
import { fixesOf } from "./fixes-of.ts";
import { wrap } from "./wrap.ts";

type Brush = (text: string) => string;

/** Colours, or functions that leave a text as it is. */
export interface Palette {
  readonly bold: Brush;
  readonly dim: Brush;
  readonly red: Brush;
  readonly yellow: Brush;
  readonly blue: Brush;
  readonly green: Brush;
}

/** Lines are at most this wide. */
const columns = 118;

/** Diagnostics as text for people, an empty line between two. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], palette: Palette): string {
  return diagnostics.map((diagnostic) => `${renderDiagnostic(diagnostic, palette)}\n`).join("\n");
}

/**
 * One diagnostic:
 *
 *     train.cdr:4:5: error: `=` gives `lr` its value; `:` only gives a type
 *       4 |   lr: 1e-4
 *         |     ^
 *         fix: write `=`
 *         cdr/syntax-colon
 */
export function renderDiagnostic(diagnostic: Diagnostic, palette: Palette): string {
  const { severity, span, related } = diagnostic;
  const brush = severityBrush(severity, palette);
  const spans = [span, ...related.map((note) => note.span)];
  const gutter = Math.max(3, ...spans.map((each) => String(positionAt(each.source, each.end).line + 1).length)) + 1;
  const indent = " ".repeat(gutter + 2);

  const place = `${placeOf(span)}: `;
  const head = `${place}${severity}:`;
  const [first = "", ...more] = wrap(diagnostic.message, columns, indent, `${head} `);
  const rest = first.slice(head.length);
  const lines = [`${palette.bold(place)}${brush(palette.bold(`${severity}:`))}${palette.bold(rest)}`];
  for (const line of more) lines.push(palette.bold(line));
  lines.push(...renderExcerpt(span, gutter, "^", palette, brush));
  for (const note of related) {
    lines.push(...wrap(`note: ${note.message} (${placeOf(note.span)})`, columns, `${indent}  `, indent));
    lines.push(...renderExcerpt(note.span, gutter, "-", palette, palette.blue));
  }
  if (diagnostic.valid.length > 0) {
    lines.push(...wrap(`valid: ${diagnostic.valid.join(", ")}`, columns, `${indent}       `, indent));
  }
  for (const fix of fixesOf(diagnostic)) {
    const [said = "", ...further] = wrap(`fix: ${fix}`, columns, `${indent}     `, indent);
    lines.push(
      said.replace("fix:", () => palette.green("fix:")),
      ...further,
    );
  }
  lines.push(`${indent}${palette.dim(diagnostic.code)}`);
  return lines.join("\n");
}

function placeOf(span: Span): string {
  const { line, character } = positionAt(span.source, span.start);
  return `${span.source.path}:${line + 1}:${character + 1}`;
}

function renderExcerpt(span: Span, gutter: number, sign: string, palette: Palette, brush: Brush): string[] {
  if (span.source.text.trim() === "") return [];
  return excerpt(span, columns - gutter - 3).flatMap((line) => renderLine(line, gutter, sign, palette, brush));
}

function renderLine(line: ExcerptLine, gutter: number, sign: string, palette: Palette, brush: Brush): string[] {
  if (line.number === null) return [palette.dim(`${"…".padStart(gutter)} |`)];
  const empty = " ".repeat(gutter);
  const source = `${palette.dim(`${String(line.number).padStart(gutter)} |`)} ${line.text}`.trimEnd();
  return [source, `${palette.dim(`${empty} |`)} ${" ".repeat(line.from)}${brush(sign.repeat(line.width))}`];
}

function severityBrush(severity: Severity, palette: Palette): Brush {
  switch (severity) {
    case "error":
      return palette.red;
    case "warning":
      return palette.yellow;
    case "info":
      return palette.blue;
  }
}
