/** Presets, overlays and tests that change nothing and judge nothing. */
import { saysNothing } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { inTable } from "../../in-table.ts";
import { isVariant } from "../../is-variant.ts";
import type { Registry } from "../../kind.ts";
import type { Statement } from "../../syntax/ast.ts";

export function checkSaysNothing(
  statements: readonly Statement[],
  { kinds }: Registry,
  report: (diagnostic: Diagnostic) => void,
): void {
  for (const statement of statements) {
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
