import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Diagnostic, Fix } from "../../dsl/diagnostics/diagnostic.ts";
import { positionAt, type Source } from "../../dsl/source/source.ts";
import type { File } from "../../dsl/syntax/ast.ts";
import { parse } from "../../dsl/syntax/parse.ts";

const folder = fileURLToPath(new URL("../fixtures/sketches", import.meta.url));

/** The five seed systems as they were sketched, by path. */
export const sketches: readonly Source[] = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".cdr"))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));

export function parseText(text: string): { readonly file: File; readonly diagnostics: readonly Diagnostic[] } {
  return parse({ path: "test.cdr", text });
}

/** `line:column code`, one-based, of each diagnostic. */
export function places(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(({ span, code }) => {
    const { line, character } = positionAt(span.source, span.start);
    return `${line + 1}:${character + 1} ${code}`;
  });
}

export function applyFixes(text: string, fixes: readonly Fix[]): string {
  const edits = fixes
    .flatMap((fix) => fix.edits)
    .sort((a, b) => b.span.start - a.span.start || b.span.end - a.span.end);
  return edits.reduce(
    (result, { span, newText }) => result.slice(0, span.start) + newText + result.slice(span.end),
    text,
  );
}
