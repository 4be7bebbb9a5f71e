/** Every generated page of `docs/`, by its path. */
import type { Registry } from "../../dsl/kind.ts";
import {
  diagnosticIndex,
  diagnosticPage,
  type DiagnosticCase,
  type DiagnosticEntry,
  slugOf,
} from "./diagnostic-page.ts";
import { kindPage, lines, sentence, table } from "./kind-page.ts";
import { printJson } from "./print-json.ts";
import { schemaOf } from "./schema.ts";

export interface Reference {
  readonly registry: Registry;
  readonly diagnostics: readonly DiagnosticEntry[];
  /** A block of the kind, from a file that compiles. */
  readonly exampleOf: (kind: string) => string | null;
  readonly caseOf: (code: string) => DiagnosticCase | null;
}

export function referenceFiles({ registry, diagnostics, exampleOf, caseOf }: Reference): ReadonlyMap<string, string> {
  const kinds = Object.values(registry.kinds);
  const rows = kinds.map((kind) => [`[\`${kind.name}\`](${kind.name}.md)`, sentence(kind.doc)]);
  const sorted = [...diagnostics].sort((a, b) => (a.code < b.code ? -1 : 1));
  return new Map([
    [
      "reference/README.md",
      lines([
        "# Block kinds",
        "What each kind of block contains: its properties with their types, units and defaults, its choices, and what can be read from it. Generated from the compiler's descriptors by `npm run docs`. The language itself is described in [language.md](../language.md).",
        table(["kind", ""], rows),
      ]),
    ],
    ...kinds.map((kind): [string, string] => [`reference/${kind.name}.md`, kindPage(kind, exampleOf(kind.name))]),
    ["cdr.schema.json", `${printJson(schemaOf(registry))}\n`],
    ["diagnostics/README.md", diagnosticIndex(sorted)],
    ...sorted.map((entry): [string, string] => [
      `diagnostics/${slugOf(entry.code)}.md`,
      diagnosticPage(entry, caseOf(entry.code)),
    ]),
  ]);
}
