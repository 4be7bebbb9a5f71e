import { scaleBlank } from "../../diagnostics/catalog/syntax.ts";
import { unitUnknown } from "../../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type { NumberLiteral } from "../../syntax/ast.ts";

/** `512 B` is in bytes where bytes stand; `7 B` elsewhere is a scale apart from its number. */
export function bytesOrBillions(
  { span }: NumberLiteral,
  at: Span,
  valid: readonly string[],
  isKnown: boolean,
): Diagnostic {
  const digits = span.source.text.slice(span.start, at.start).trimEnd();
  const glued = {
    title: "write it directly after the number",
    edits: [{ span: { ...at, start: span.start + digits.length }, newText: "B" }],
  };
  if (isKnown && !valid.includes("bytes")) return scaleBlank(at, { scale: "B" }, { fixes: [glued] });
  const fixes = [replacement(at, "bytes"), ...(isKnown ? [] : [glued])];
  return unitUnknown(at, { unit: "B" }, { fixes, valid });
}
