/** Presets, overlays and tests that change nothing and judge nothing. */
import { saysNothing } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { inTable } from "../../in-table.ts";
import { isVariant } from "../../is-variant.ts";
import type { Registry } from "../../kind.ts";
import type { Statement } from "../../syntax/ast.ts";
import type { Program } from "../program.ts";

/** `told`: all that is wrong in the files. A block that has a mistake was to say something. */
export function emptyVariants({ modules, context }: Program, told: readonly Diagnostic[]): readonly Diagnostic[] {
  const wrong = told.filter(({ severity }) => severity === "error").map(({ span }) => span);
  const isWrong = ({ span: { source, start, end } }: Statement): boolean =>
    wrong.some((span) => span.source.path === source.path && start <= span.start && span.end <= end);
  return [...modules.values()]
    .filter(({ path }) => !path.startsWith("std/"))
    .flatMap(({ file }) => file.statements)
    .flatMap((statement) => {
      const empty = emptinessOf(statement, context.registry);
      return empty === null || isWrong(statement) ? [] : [empty];
    });
}

function emptinessOf(statement: Statement, { kinds }: Registry): Diagnostic | null {
  if (statement.kind === "test") {
    const { body, title } = statement;
    if (body.some(({ kind }) => kind === "assert")) return null;
    const what = `test "${title.parts.join("")}"`;
    if (body.length === 0) return saysNothing(title.span, { what, why: "changes nothing and asserts nothing" });
    const why = "asserts nothing: it passes if the amended file has no errors";
    return saysNothing(title.span, { what, why }, { severity: "info" });
  }
  if (statement.kind !== "block" || statement.name === null) return null;
  const [kind] = statement.head;
  const isCondition = (s: Statement) => s.kind === "assign" && s.target[0].text === "when";
  if (!isVariant(inTable(kinds, kind.text)) || statement.body?.every(isCondition) === false) return null;
  return saysNothing(statement.name.span, { what: `${kind.text} \`${statement.name.text}\``, why: "amends nothing" });
}
