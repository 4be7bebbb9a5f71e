/** Compiles a file for `cdrc run`: diagnostics go to stderr, and only a file without errors comes through. */
import { dirname, resolve } from "node:path";
import type { CompileChoices, CompileForRun } from "../runtime/run/compiled.ts";
import { emitBundle } from "./bundle.ts";
import { compileFile } from "./front.ts";
import { errorsIn } from "../dsl/diagnostics/diagnostic.ts";
import { showDiagnostics } from "./report-diagnostics.ts";

export const compileForRun: CompileForRun = async (file, choices) => {
  const compiled = compileFile(file, choices);
  if ("misuse" in compiled) {
    process.stderr.write(`cdrc: ${compiled.misuse}\n`);
    return null;
  }
  showDiagnostics(compiled.diagnostics, "auto");
  if (errorsIn(compiled.diagnostics) > 0) return null;
  const refused = compiled.unexecuted.of(choices.names ?? []);
  showDiagnostics(refused, "auto");
  if (refused.length > 0) return null;
  const { launch } = compiled.pipeline;
  return { file, project: dirname(resolve(file)), flags: flagsOf(choices), bundle: emitBundle(compiled), launch };
};

function flagsOf({ on, target, preset, with: overlays, set }: CompileChoices): string[] {
  const one = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  return [
    ...one("--on", on),
    ...one("--target", target),
    ...one("--preset", preset),
    ...overlays.flatMap((overlay) => ["--with", overlay]),
    ...set.flatMap((word) => ["--set", word]),
  ];
}
