/** One thing that a launch must not say: read over all its files. */
import {
  define,
  type Definition,
  type Details,
  type Diagnostic,
  type Severity,
} from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import type { Launch, Supplied } from "../launch.ts";

/** Files by name, as a user would have them. */
export type Files = Readonly<Record<string, string>>;

export interface ForeignRule {
  readonly diagnostic: Definition<{ readonly message: string }>;
  /** Where the engine, the launcher or the scheduler says so. */
  readonly source: string;
  readonly check: (launch: Launch) => readonly Diagnostic[];
  /** Asked once of all launches of the files, not of each. */
  readonly ofAll?: boolean;
  /** A launch that breaks it, and the nearest that does not. Held by a test. */
  readonly fires: Files;
  readonly silent: Files;
  /** What the command line says beside the examples. */
  readonly supplied?: Partial<Supplied>;
}

/** What a rule says of nearly every launch. */
const none: readonly Diagnostic[] = [];

export interface Found extends Details {
  readonly span: Span;
  /** One sentence without a stop. */
  readonly message: string;
}

export function rule(parts: {
  readonly name: string;
  readonly severity?: Severity;
  readonly source: string;
  /** Why it is wrong, and what happens without. */
  readonly why: string;
  /** What to write instead. */
  readonly fix: string;
  readonly check: (launch: Launch) => readonly Found[];
  readonly ofAll?: boolean;
  readonly fires: Files;
  readonly silent: Files;
  readonly supplied?: Partial<Supplied>;
}): ForeignRule {
  const diagnostic = define<{ readonly message: string }>({
    code: `cdr/${parts.name}` as const,
    severity: parts.severity ?? "error",
    message: ({ message }) => message,
    explanation: parts.why,
    fix: parts.fix,
    source: parts.source,
  });
  return {
    diagnostic,
    source: parts.source,
    check: (launch) => {
      const found = parts.check(launch);
      return found.length === 0
        ? none
        : found.map(({ span, message, ...details }) => diagnostic(span, { message }, details));
    },
    fires: parts.fires,
    silent: parts.silent,
    ...(parts.supplied === undefined ? {} : { supplied: parts.supplied }),
    ...(parts.ofAll === undefined ? {} : { ofAll: parts.ofAll }),
  };
}

export function nearby(
  message: string,
  span: Span | undefined,
): { readonly related: readonly { readonly message: string; readonly span: Span }[] } {
  return { related: span === undefined ? [] : [{ message, span }] };
}
