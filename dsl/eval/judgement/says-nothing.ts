/** Presets, overlays and tests that change nothing and judge nothing. */
import { saysNothing } from "../../diagnostics/catalog/names.ts";
import { inTable } from "../../in-table.ts";
import { isVariant } from "../../is-variant.ts";
import type { Module } from "../../symbols/symbol.ts";
import type { Statement } from "../../syntax/ast.ts";
import type { Program } from "../program.ts";

/** The last check: a block that has a mistake was to say something. */
export function checkSaysNothing({ file }: Module, { context, diagnostics }: Program): void {
  const { report } = context;
  const { kinds } = context.registry;
  const wrong = diagnostics.filter(({ severity }) => severity === "error").map(({ span }) => span);
  for (const statement of file.statements) {
    const { source, start, end } = statement.span;
    if (wrong.some((span) => span.source === source && start <= span.start && span.end <= end)) continue;
    if (statement.kind === "test") {
      const { body, title } = statement;
      if (body.some(({ kind }) => kind === "assert")) continue;
      const what = `test "${title.parts.join("")}"`;
      if (body.length === 0) report(saysNothing(title.span, { what, why: "changes nothing and asserts nothing" }));
      else {
        const why = "asserts nothing: it passes wherever the file so amended has no error";
        report(saysNothing(title.span, { what, why }, { severity: "info" }));
      }
    } else if (statement.kind === "block" && statement.name !== null) {
      const [kind] = statement.head;
      const isCondition = (s: Statement) => s.kind === "assign" && s.target[0].text === "when";
      if (!isVariant(inTable(kinds, kind.text)) || statement.body?.every(isCondition) === false) continue;
      report(
        saysNothing(statement.name.span, { what: `${kind.text} \`${statement.name.text}\``, why: "amends nothing" }),
      );
    }
  }
}
