// Writes what `docs/` holds of generated pages: `npm run docs`. `test/docs.test.ts` fails when they are stale.
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { allDefinitions } from "../compiler/diagnostics/index.ts";
import { compile } from "../compiler/compile.ts";
import { demands as deepspeedDemands } from "../compiler/engines/deepspeed/demands/index.ts";
import { shownExample as shownConfiguration } from "../compiler/engines/deepspeed/example.ts";
import { shownExample } from "../compiler/engines/megatron/example.ts";
import { rules as megatronRules } from "../compiler/engines/megatron/rules/index.ts";
import { registry } from "../compiler/kinds/index.ts";
import { lockChanges } from "../compiler/lock/make.ts";
import { readSignatures } from "../compiler/plugins/python.ts";
import { type DiagnosticCase, slugOf } from "../compiler/reference/diagnostic-page.ts";
import { referenceFiles } from "../compiler/reference/reference.ts";
import { commands } from "../cli/commands.ts";
import { commandsPage } from "../cli/reference.ts";
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { renderDiagnostic } from "../dsl/diagnostics/render.ts";
import type { Program } from "../dsl/eval/program.ts";
import type { Statement } from "../dsl/syntax/ast.ts";
import { parse } from "../dsl/syntax/parse.ts";
import { noPaint } from "../runtime/view/paint.ts";

const root = join(import.meta.dirname, "..");
export const docs = join(root, "docs");
const cases = join(docs, "diagnostics/cases");
const generated = ["commands.md", "reference/*.md", "diagnostics/*.md", "cdr.schema.json"];

/** What the pages hold now, by path. */
export function writtenDocs(): ReadonlyMap<string, string> {
  const paths = globSync(generated, { cwd: docs }).sort();
  return new Map(paths.map((path) => [path, readFileSync(join(docs, path), "utf8")]));
}

/** What they ought to hold. */
export async function generatedDocs(): Promise<ReadonlyMap<string, string>> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  return new Map([["commands.md", commandsPage(loaded)], ...referencePages()]);
}

function referencePages(): ReadonlyMap<string, string> {
  const examples = exampleBlocks();
  const told = baselineCases();
  return referenceFiles({
    registry,
    diagnostics: allDefinitions,
    exampleOf: (kind) => examples.get(kind) ?? null,
    caseOf: (code) => ownCase(code) ?? told.get(code) ?? engineCase(code),
  });
}

/** The case that was written for a page: `docs/diagnostics/cases/<code>.cdr`, with its lock beside it where it is about one. */
export function ownCase(code: string): DiagnosticCase | null {
  const path = join(cases, `${slugOf(code)}.cdr`);
  if (!existsSync(path)) return null;
  const source = { path: "main.cdr", text: readFileSync(path, "utf8") };
  const compiled = compile(source, {
    ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
    ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
    signatures: (requests) => readSignatures(requests.map((r) => ({ ...r, roots: [join(cases, "python")] }))),
  });
  const told = [
    ...compiled.diagnostics,
    ...compiled.unexecuted.of([]),
    ...lockTold(compiled.program, `${path}.lock`),
  ];
  const found = told.find((diagnostic) => diagnostic.code === code);
  if (found === undefined) return null;
  const shown = renderDiagnostic(found, noPaint)
    .replaceAll(`${join(cases, "python")}/`, "")
    .trimEnd();
  return { shown, mended: mended(source.text, found) };
}

function lockTold(program: Program, path: string): readonly Diagnostic[] {
  if (!existsSync(path)) return [];
  const outside = { hash: () => "", digest: () => null, plugins: () => ({}) };
  return lockChanges(program, readFileSync(path, "utf8"), outside);
}

/** The example of an engine's rule. */
function engineCase(code: string): DiagnosticCase | null {
  const rule = megatronRules.find(({ diagnostic }) => diagnostic.code === code);
  if (rule !== undefined) return { shown: shownExample(rule), mended: null };
  const demand = deepspeedDemands.find(({ diagnostic }) => diagnostic.code === code);
  return demand === undefined ? null : { shown: shownConfiguration(demand), mended: null };
}

function mended(text: string, { fixes: [fix] }: Diagnostic): string | null {
  if (fix === undefined || text.split("\n").length > 12) return null;
  const edits = fix.edits.toSorted((a, b) => b.span.start - a.span.start || b.span.end - a.span.end);
  return edits.reduce((t, { span, newText }) => t.slice(0, span.start) + newText + t.slice(span.end), text);
}

/** The shortest telling of each code among the baselines. */
function baselineCases(): ReadonlyMap<string, DiagnosticCase> {
  const found = new Map<string, DiagnosticCase>();
  const folder = join(root, "test/baselines");
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name, "diagnostics.txt");
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

/** For each kind the block that the examples show best: the longest that still is short. */
function exampleBlocks(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const paths = [
    ...globSync("examples/**/*.cdr", { cwd: root }).sort(),
    ...globSync("compiler/std/*.cdr", { cwd: root }).sort(),
  ];
  for (const path of paths) {
    const { file } = parse({ path, text: readFileSync(join(root, path), "utf8") });
    for (const statement of file.statements) {
      const shown = blockText(statement);
      if (shown === null) continue;
      const length = shown.text.split("\n").length;
      const known = found.get(shown.kind)?.split("\n").length ?? 0;
      if (length <= 18 && length > known) found.set(shown.kind, shown.text);
    }
  }
  return found;
}

function blockText(statement: Statement): { kind: string; text: string } | null {
  if (statement.kind !== "block" || statement.name === null || statement.head.length > 1) return null;
  const { source, start, end } = statement.span;
  return { kind: statement.head[0].text, text: source.text.slice(start, end) };
}

async function write(): Promise<void> {
  const files = await generatedDocs();
  for (const path of writtenDocs().keys()) if (!files.has(path)) rmSync(join(docs, path));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(docs, path)), { recursive: true });
    writeFileSync(join(docs, path), text);
  }
  process.stderr.write(`${files.size} files in docs/\n`);
}

if (process.argv[1] === import.meta.filename) await write();
