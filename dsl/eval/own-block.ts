import type { Fix } from "../diagnostics/diagnostic.ts";
import { inTable } from "../in-table.ts";
import type { Registry } from "../kind.ts";
import type { Name } from "../syntax/ast.ts";

/** Something that nobody has heard of: a block of one's own says what it is. */
export function ownBlock({ text, span }: Name, kinds: readonly string[], registry: Registry): Fix[] {
  const own = inTable(registry.kinds, kinds[0] ?? "")?.own;
  if (own === undefined) return [];
  const { source } = span;
  const block = own.declare(text);
  const end = { source, start: source.text.length, end: source.text.length };
  const shown = block.replaceAll("\n", "` and `");
  return [{ title: `declare it with ${own.figures}: \`${shown}\``, edits: [{ span: end, newText: `\n${block}\n` }] }];
}
