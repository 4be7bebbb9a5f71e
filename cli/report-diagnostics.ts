/** Diagnostics to people: on stderr, with colours where a terminal shows them. */
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { renderDiagnostics } from "../dsl/diagnostics/render.ts";
import { ansiPaint, noPaint } from "../runtime/view/paint.ts";
import { type ColourFlag, isColoured } from "./colour.ts";

export function showDiagnostics(diagnostics: readonly Diagnostic[], colour: ColourFlag): void {
  if (diagnostics.length > 0)
    process.stderr.write(renderDiagnostics(diagnostics, isColoured(process.stderr, colour) ? ansiPaint : noPaint));
}
