// What the page of a diagnostic shows: a case that triggers it, as `cdrc check` tells of it.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { emitBundle } from "../cli/bundle.ts";
import { withTriedFixes } from "../cli/tried.ts";
import { type Compilation, compile, type CompileOptions } from "../compiler/compile.ts";
import { demands as deepspeedDemands } from "../compiler/engines/deepspeed/demands/index.ts";
import { rules as megatronRules } from "../compiler/engines/megatron/rules/index.ts";
import { toldOf } from "../compiler/foreign/rules/example.ts";
import { foreignRules } from "../compiler/foreign/rules/index.ts";
import type { Files } from "../compiler/foreign/rules/rule.ts";
import { importLaunch } from "../compiler/import/import.ts";
import { sweepErrors } from "../compiler/judge-sweeps.ts";
import { lockChanges } from "../compiler/lock/make.ts";
import { checkpointFormats } from "../compiler/passes/checkpoint-formats.ts";
import { checkFiles } from "../compiler/targets/kubernetes/file-rules.ts";
import { readSignatures } from "../compiler/plugins/python.ts";
import { type DiagnosticCase, slugOf } from "../compiler/reference/diagnostic-page.ts";
import { errorsIn, type Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { renderDiagnostic } from "../dsl/diagnostics/render.ts";
import { noPaint } from "../runtime/view/paint.ts";
import { deepspeedCase, type EngineCase, flagsOf, megatronCase } from "./engine-cases.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/diagnostics/cases");

/** Finds the case of a code: its own, else the shortest of the baselines, else the example of the rule that it belongs to. */
export function diagnosticCases(): (code: string) => DiagnosticCase | null {
  const told = baselineCases();
  return (code) => ownCase(code) ?? told.get(code) ?? ruleCase(code);
}

/** Names of the codes that have a case of their own. */
export const ownCases: readonly string[] = readdirSync(folder)
  .filter((name) => name !== "python" && !name.endsWith(".lock"))
  .map((name) => name.replace(/\.\w+$/, ""));

/**
 * The case that was written for a page: `<code>.cdr`, with its lock beside it where it is about one; or a file of another tool, or a
 * folder of them that make up a launch.
 */
export function ownCase(code: string): DiagnosticCase | null {
  const slug = slugOf(code);
  const name = readdirSync(folder).find((each) => each.replace(/\.\w+$/, "") === slug && !each.endsWith(".lock"));
  if (name === undefined) return null;
  const path = join(folder, name);
  if (name.endsWith(".cdr")) return ofSource(code, path);
  const files = statSync(path).isDirectory()
    ? readdirSync(path).map((each): [string, string] => [each, readFileSync(join(path, each), "utf8")])
    : [[`launch${extname(name)}`, readFileSync(path, "utf8")] as const];
  return ofLaunch(code, Object.fromEntries(files));
}

/** What is told of a bundle that is written for another place. */
const filesTold = (compiled: Compilation): readonly Diagnostic[] =>
  compiled.pipeline.launch.target.kind === "kubernetes" && errorsIn(compiled.diagnostics) === 0
    ? checkFiles(emitBundle(compiled), compiled.pipeline.launch)
    : [];

function ofSource(code: string, path: string): DiagnosticCase | null {
  const source = { path: "main.cdr", text: readFileSync(path, "utf8") };
  const options: CompileOptions = {
    ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
    ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
    signatures: (requests) => readSignatures(requests.map((r) => ({ ...r, roots: [join(folder, "python")] }))),
  };
  const compiled = compile(source, options);
  const told = [
    ...compiled.diagnostics,
    ...sweepErrors(compiled, options),
    ...compiled.unexecuted.of([]),
    ...checkpointFormats(compiled, []),
    ...filesTold(compiled),
    ...lockTold(compiled, `${path}.lock`),
  ];
  const [found] = withTriedFixes(
    { ...compiled, options },
    told.filter((diagnostic) => diagnostic.code === code).slice(0, 1),
  );
  return found === undefined ? null : { shown: rendered(found), mended: mended(source.text, found) };
}

function ofLaunch(code: string, files: Files): DiagnosticCase | null {
  const found = [...toldOf(files), ...toldOnImport(files)].find((diagnostic) => diagnostic.code === code);
  return found === undefined ? null : { shown: rendered(found), mended: null };
}

function toldOnImport(files: Files): readonly Diagnostic[] {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const options = { supplied: { world: null, gpusPerNode: null, gpu: null }, launch: null };
  return importLaunch(sources, options, () => undefined).diagnostics;
}

function lockTold({ program }: Compilation, path: string): readonly Diagnostic[] {
  if (!existsSync(path)) return [];
  const outside = { hash: () => "", digest: () => null, plugins: () => ({}) };
  return lockChanges(program, readFileSync(path, "utf8"), outside);
}

/** The example that a rule brings. */
function ruleCase(code: string): DiagnosticCase | null {
  const has = ({ diagnostic }: { readonly diagnostic: { readonly code: string } }): boolean =>
    diagnostic.code === code;
  const rule = megatronRules.find(has);
  if (rule !== undefined) return ofEngine(megatronCase(rule));
  const demand = deepspeedDemands.find(has);
  if (demand !== undefined) return ofEngine(deepspeedCase(demand));
  const foreign = foreignRules.find(has);
  const found = foreign && toldOf(foreign.fires, foreign.supplied).find((diagnostic) => diagnostic.code === code);
  if (foreign === undefined || found === undefined) return null;
  const flags = flagsOf(foreign.supplied ?? {});
  return {
    shown: parts(listing(foreign.fires), typed(foreign.fires, flags) + rendered(found)),
    mended: null,
    passes: parts(listing(foreign.silent), typed(foreign.silent, flags).trimEnd()),
  };
}

function ofEngine({ fires, silent, flags, silentFlags, note, silentNote, told }: EngineCase): DiagnosticCase {
  return {
    shown: parts(note, listing(fires), typed(fires, flags) + rendered(told)),
    mended: null,
    passes: parts(silentNote, listing(silent), typed(silent, silentFlags).trimEnd()),
  };
}

const parts = (...texts: readonly string[]): string => texts.filter((text) => text !== "").join("\n\n");

/** The command, where it was told more than files. */
const typed = (files: Files, flags: string): string =>
  flags === "" ? "" : `$ cdrc check ${Object.keys(files).join(" ")}${flags}\n`;

/** Files one after the other, each under its name. */
const listing = (files: Files): string =>
  Object.entries(files)
    .map(([name, text]) => `--- ${name}\n${text.includes("\0") ? "(bytes)" : text.trimEnd()}`)
    .join("\n\n");

/** Paths lose their folder before lines are broken: where the repository lies shows in no page. */
function rendered(diagnostic: Diagnostic): string {
  const message = diagnostic.message.replaceAll(`${join(folder, "python")}/`, "");
  return renderDiagnostic({ ...diagnostic, message }, noPaint).trimEnd();
}

function mended(text: string, { fixes: [fix] }: Diagnostic): string | null {
  if (fix === undefined || text.split("\n").length > 12) return null;
  const edits = fix.edits.toSorted((a, b) => b.span.start - a.span.start || b.span.end - a.span.end);
  return edits.reduce((t, { span, newText }) => t.slice(0, span.start) + newText + t.slice(span.end), text);
}

/** The shortest telling of each code among the baselines. */
function baselineCases(): ReadonlyMap<string, DiagnosticCase> {
  const found = new Map<string, DiagnosticCase>();
  const baselines = join(root, "test/baselines");
  for (const name of readdirSync(baselines).sort()) {
    const path = join(baselines, name, "diagnostics.txt");
    if (!existsSync(path)) continue;
    for (const shown of readFileSync(path, "utf8").split(/\n\n(?=\S)/)) {
      const code = /^\s*(cdr\/[\w-]+)\s*$/m.exec(shown.trimEnd().split("\n").at(-1) ?? "")?.[1];
      const known = code === undefined ? undefined : found.get(code);
      if (code !== undefined && (known === undefined || shown.trimEnd().length < known.shown.length))
        found.set(code, { shown: shown.trimEnd(), mended: null });
    }
  }
  return found;
}
