/** Diagnostics as the protocol has them. */
import { type Diagnostic as ProtocolDiagnostic, DiagnosticSeverity, DiagnosticTag } from "vscode-languageserver";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { rangeOf } from "./positions.ts";
import type { Workspace } from "./workspace.ts";

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

const few = 12;
const most = 60;

const listed = (valid: readonly string[]): string =>
  valid.length <= most ? valid.join(", ") : `${valid.slice(0, most).join(", ")}, … (${valid.length} in all)`;

export function protocolDiagnostic(diagnostic: Diagnostic, workspace: Pick<Workspace, "uriOf">): ProtocolDiagnostic {
  const { code, severity, message, span, related, valid, fixes, fix } = diagnostic;
  // Where a fix says what is meant, a long list would only stand in its way.
  const known =
    valid.length > 0 && (valid.length <= few || fixes.length === 0) && !message.includes(valid.join(", "));
  return {
    range: rangeOf(span),
    severity: severities[severity],
    code,
    source: "cdr",
    message: [
      message,
      ...(known ? [`valid: ${listed(valid)}`] : []),
      ...(fixes.length > 0 ? [] : [`fix: ${fix}`]),
    ].join("\n"),
    ...(/unused/.test(code) ? { tags: [DiagnosticTag.Unnecessary] } : {}),
    ...(related.length === 0
      ? {}
      : {
          relatedInformation: related.map((note) => ({
            message: note.message,
            location: { uri: workspace.uriOf(note.span.source.path), range: rangeOf(note.span) },
          })),
        }),
  };
}

/** By the file that each stands in; the standard library's are not the user's to mend. */
export function byPath(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, readonly Diagnostic[]> {
  const found = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const { path } = diagnostic.span.source;
    if (path.startsWith("std/")) continue;
    const list = found.get(path);
    if (list === undefined) found.set(path, [diagnostic]);
    else list.push(diagnostic);
  }
  return found;
}
