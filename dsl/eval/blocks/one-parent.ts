import { misplaced } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Statement } from "../../syntax/ast.ts";

/** `stage b extends a, c { … }`: the comma ends `b`, and the block would amend `c`, which nobody means. */
export function oneParent(statements: readonly Statement[], report: (diagnostic: Diagnostic) => void): void {
  for (const [index, statement] of statements.entries()) {
    const before = statements[index - 1];
    if (before?.kind !== "block" || before.name === null || before.extends === null || before.body !== null) continue;
    if (statement.kind !== "block" || statement.name !== null) continue;
    const [head] = statement.head;
    if (!/^\s*,[^\n]*$/.test(head.span.source.text.slice(before.span.end, head.span.start))) continue;
    const [parent] = before.extends;
    const where = `behind \`extends ${parent.text},\`: a block extends one other`;
    const fix = `Leave one of the two, and say the rest in \`${before.name.text} { … }\`; what amends \`${head.text}\` begins a line of its own.`;
    report(misplaced(head.span, { what: `\`${head.text}\``, where }, { fix }));
  }
}
