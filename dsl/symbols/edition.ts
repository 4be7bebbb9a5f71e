/** `edition = 2026`: which rules a file was written for. */
import { editionUnknown } from "../diagnostics/catalog/names.ts";
import { replacement } from "../diagnostics/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Assign, File } from "../syntax/ast.ts";

/** The newest first; a file that names none is read by it. */
export const editions = [2026] as const;
const newest = editions[0];

export const isEdition = (statement: Assign): boolean =>
  statement.target.length === 1 && statement.target[0].text === "edition";

/** Reports an edition that this compiler does not know. */
export function checkEdition({ value }: Assign, report: (diagnostic: Diagnostic) => void): void {
  const known = value.kind === "number" && value.scale === null && value.unit === null ? value.value : null;
  if (editions.some((edition) => edition === known)) return;
  const written = value.span.source.text.slice(value.span.start, value.span.end);
  const details = { valid: editions.map(String), fixes: [replacement(value.span, String(newest))] };
  report(editionUnknown(value.span, { written }, details));
}

/** The edition that a file is read by. */
export function editionOf(file: File): number {
  const said = file.statements.find((s): s is Assign => s.kind === "assign" && isEdition(s));
  return said?.value.kind === "number" ? said.value.value : newest;
}
