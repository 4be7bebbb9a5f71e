/** Diagnostics for programs, as `cdrc check --json` prints them. */
import { positionAt, type Position, type Span } from "../source/source.ts";
import type { Diagnostic, Edit, Severity } from "./diagnostic.ts";
import { helpFor } from "./help.ts";

interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface JsonDiagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly file: string;
  readonly range: Range;
  readonly related: readonly { readonly message: string; readonly file: string; readonly range: Range }[];
  readonly valid: readonly string[];
  readonly fixes: readonly {
    readonly title: string;
    readonly edits: readonly { readonly file: string; readonly range: Range; readonly newText: string }[];
  }[];
  /** How it is mended, in words. */
  readonly fix: string;
  readonly help: string;
}

export interface JsonReport {
  readonly diagnostics: readonly JsonDiagnostic[];
  readonly summary: { readonly errors: number; readonly warnings: number };
}

export function toJson(diagnostics: readonly Diagnostic[]): JsonReport {
  const count = (severity: Severity): number => diagnostics.filter((d) => d.severity === severity).length;
  return {
    diagnostics: diagnostics.map(jsonDiagnostic),
    summary: { errors: count("error"), warnings: count("warning") },
  };
}

function jsonDiagnostic(diagnostic: Diagnostic): JsonDiagnostic {
  const { code, severity, message, span, valid } = diagnostic;
  return {
    code,
    severity,
    message,
    file: span.source.path,
    range: rangeOf(span),
    related: diagnostic.related.map((note) => ({
      message: note.message,
      file: note.span.source.path,
      range: rangeOf(note.span),
    })),
    valid,
    fixes: diagnostic.fixes.map(({ title, edits }) => ({ title, edits: edits.map(jsonEdit) })),
    fix: diagnostic.fix,
    help: helpFor(code),
  };
}

function jsonEdit({ span, newText }: Edit): { file: string; range: Range; newText: string } {
  return { file: span.source.path, range: rangeOf(span), newText };
}

/** Zero-based lines and UTF-16 characters, as in the Language Server Protocol. */
export function rangeOf(span: Span): Range {
  return { start: positionAt(span.source, span.start), end: positionAt(span.source, span.end) };
}
