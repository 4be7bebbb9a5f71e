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
    const where = `after \`extends ${parent.text},\`: a block can extend only one other`;
    const fix = `Keep one of the two, and write the rest in \`${before.name.text} { … }\`; to amend \`${head.text}\`, begin a new line.`;
    report(misplaced(head.span, { what: `\`${head.text}\``, where }, { fix }));
  }
}
