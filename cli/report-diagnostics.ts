/** Diagnostics to people: on stderr, with colours where a terminal shows them. */
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { toJson } from "../dsl/diagnostics/json.ts";
import { renderDiagnostics } from "../dsl/diagnostics/render.ts";
import { ansiPaint, noPaint } from "../runtime/view/paint.ts";
import { type ColourFlag, isColoured } from "./colour.ts";
import { output } from "./output.ts";
import { terminalOf } from "./terminal.ts";

/** The file has errors: to people on stderr, as the one document on stdout where that was asked for; exit code 1. */
export function refuseFile(diagnostics: readonly Diagnostic[], json: boolean, colour: ColourFlag = "auto"): void {
  showDiagnostics(diagnostics, colour);
  if (json) process.stdout.write(`${JSON.stringify(toJson(diagnostics), null, 2)}\n`);
  process.exitCode = 1;
}

export function showDiagnostics(diagnostics: readonly Diagnostic[], colour: ColourFlag): void {
  if (diagnostics.length > 0)
    output("stderr", renderDiagnostics(diagnostics, isColoured(terminalOf("stderr"), colour) ? ansiPaint : noPaint));
}
