import type { Span } from "../source/source.ts";

export type Severity = "error" | "warning" | "info";

export interface Edit {
  readonly span: Span;
  readonly newText: string;
}

export interface Fix {
  readonly title: string;
  readonly edits: readonly Edit[];
}

export interface Related {
  readonly message: string;
  readonly span: Span;
}

/** One thing to tell the user about their files. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  readonly related: readonly Related[];
  /** The values that would do, where they are finite. */
  readonly valid: readonly string[];
  readonly fixes: readonly Fix[];
  /** How it is mended, in words: what a reader does where no edit is offered. */
  readonly fix: string;
}

/** What a reporter may add to the message. */
export interface Details {
  readonly related?: readonly Related[];
  readonly valid?: readonly string[];
  readonly fixes?: readonly Fix[];
  /** In place of the definition's, where the case allows a more exact one. */
  readonly fix?: string;
  /** Only to soften or harden one case, such as `assert … else warn`. */
  readonly severity?: Severity;
}

/** A kind of diagnostic: callable to report one, with the texts that `cdrc explain CODE` shows. */
export interface Definition<Slots> {
  (span: Span, slots: Slots, details?: Details): Diagnostic;
  readonly code: string;
  readonly severity: Severity;
  readonly explanation: string;
  readonly fix: string;
  /** Where an engine or a tool says so: its file and function. */
  readonly source: string | null;
}

/**
 * Defines a diagnostic. `message` states what is wrong in one sentence without a final stop; its slots are typed.
 * `explanation` and `fix` are the page for `cdrc explain`: why it is wrong, and what to do. Every report says the fix as well.
 */
export function define<Slots>(definition: {
  readonly code: `cdr/${string}`;
  readonly severity: Severity;
  readonly message: (slots: Slots) => string;
  readonly explanation: string;
  readonly fix: string;
  /** The fix in the names of one report, where the page's has those of an example. */
  readonly fixFor?: (slots: Slots) => string;
  readonly source?: string;
}): Definition<Slots> {
  const { code, severity, explanation, fix, fixFor = () => fix, source = null } = definition;
  const report = (span: Span, slots: Slots, details: Details = {}): Diagnostic => ({
    code,
    severity: details.severity ?? severity,
    message: definition.message(slots),
    span,
    related: details.related ?? [],
    valid: [...new Set(details.valid)],
    fixes: details.fixes ?? [],
    fix: details.fix ?? fixFor(slots),
  });
  return Object.assign(report, { code, severity, explanation, fix, source });
}

export function errorsIn(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.filter((d) => d.severity === "error").length;
}
