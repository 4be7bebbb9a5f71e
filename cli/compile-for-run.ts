/** Compiles a file for `cdrc run`: diagnostics go to stderr, and only a file without errors comes through. */
import { dirname, resolve } from "node:path";
import { type CompileChoices, type CompileForRun, type DeclaredStep, isStarted } from "../runtime/run/compiled.ts";
import { beforeStart } from "./before-start.ts";
import { emitBundle } from "./bundle.ts";
import { compileFile } from "./front.ts";
import type { Compilation } from "../compiler/compile.ts";
import { isPresent } from "../dsl/eval/declarations/lookup.ts";
import { isRefusal } from "../runtime/run/refusal.ts";
import { wantedSteps } from "../runtime/run/wanted.ts";
import { checkpointFormats } from "../compiler/passes/checkpoint-formats.ts";
import { errorsIn, type Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { misuse } from "./misuse.ts";
import { refuseFile, showDiagnostics } from "./report-diagnostics.ts";
import { withTriedFixes } from "./tried.ts";

export const compileForRun: CompileForRun = async (file, choices) => {
  const compiled = compileFile(file, choices);
  if ("misuse" in compiled) {
    misuse(compiled.misuse, choices.json === true);
    return null;
  }
  const refuse = (diagnostics: readonly Diagnostic[]): null => {
    refuseFile(diagnostics, choices.json === true);
    return null;
  };
  const told = beforeStart(withTriedFixes(compiled));
  if (errorsIn(told) > 0) return refuse(told);
  showDiagnostics(told, "auto");
  const declared = declaredSteps(compiled);
  const asked = wantedSteps({ file, declared }, choices.names ?? []);
  const names = isRefusal(asked) ? [] : asked;
  const { launch } = compiled.pipeline;
  const refused = isRefusal(asked) && isStarted(launch) ? [] : compiled.unexecuted.of(names);
  if (refused.length > 0 || !isStarted(launch)) return refuse(refused);
  const foreign = checkpointFormats(compiled, names);
  if (foreign.length > 0) return refuse(foreign);
  const bundle = emitBundle(compiled);
  return { file, project: dirname(resolve(file)), flags: flagsOf(choices), bundle, declared, launch };
};

function declaredSteps({ program, unexecuted }: Compilation): readonly DeclaredStep[] {
  const own = new Set([program.root.path, ...program.overlayFiles]);
  const ends = unexecuted.ends();
  return program.blocks.flatMap((block) => {
    const { kind, name, abstract, symbol } = block;
    if (kind.step !== true || abstract || name === null || !isPresent(block)) return [];
    const path = symbol?.module.path ?? program.root.path;
    return [{ name, importedFrom: own.has(path) ? null : path, isEnd: ends.has(name) }];
  });
}

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
