// Writes what `docs/` holds of generated pages: `npm run docs`. `test/docs.test.ts` fails when they are stale.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { allDefinitions } from "../compiler/diagnostics/index.ts";
import { demands as deepspeedDemands } from "../compiler/engines/deepspeed/demands/index.ts";
import { demandedSince } from "../compiler/engines/deepspeed/versions.ts";
import { rules as megatronRules } from "../compiler/engines/megatron/rules/index.ts";
import { registry } from "../compiler/kinds/index.ts";
import { allConstraints, constraintsPage } from "../compiler/reference/constraints-page.ts";
import { referenceFiles } from "../compiler/reference/reference.ts";
import { commands } from "../cli/commands.ts";
import { commandsPage } from "../cli/reference.ts";
import type { Statement } from "../dsl/syntax/ast.ts";
import { parse } from "../dsl/syntax/parse.ts";
import { diagnosticCases } from "./diagnostic-cases.ts";

const root = join(import.meta.dirname, "..");
export const docs = join(root, "docs");
const generated = ["commands.md", "reference/*.md", "diagnostics/*.md", "cdr.schema.json", "constraints.md"];

/** What the pages hold now, by path. */
export function writtenDocs(): ReadonlyMap<string, string> {
  const paths = globSync(generated, { cwd: docs }).sort();
  return new Map(paths.map((path) => [path, readFileSync(join(docs, path), "utf8")]));
}

/** What they ought to hold. */
export async function generatedDocs(): Promise<ReadonlyMap<string, string>> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  return new Map([
    ["commands.md", commandsPage(loaded)],
    ["constraints.md", constraintsPage(ruleCount, releasesOf)],
    ...referencePages(),
  ]);
}

function releasesOf(code: string): string | null {
  const gone = megatronRules.find(({ diagnostic }) => diagnostic.code === code)?.gone;
  if (gone !== undefined) return `before core ${gone}`;
  const since = demandedSince(code);
  return since === null ? null : `from DeepSpeed ${since} on`;
}

/** Rules that speak of an engine, by its letter in the table of what engines demand. */
function ruleCount(engine: string): number {
  if (engine === "M") return megatronRules.length;
  if (engine === "D") return deepspeedDemands.length;
  const named = allConstraints.filter(({ id }) => id.startsWith(engine));
  return new Set(named.flatMap(({ decided = [], unknown = [] }) => [...decided, ...unknown])).size;
}

function referencePages(): ReadonlyMap<string, string> {
  const examples = exampleBlocks();
  return referenceFiles({
    registry,
    diagnostics: allDefinitions,
    exampleOf: (kind) => examples.get(kind) ?? null,
    caseOf: diagnosticCases(),
  });
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
