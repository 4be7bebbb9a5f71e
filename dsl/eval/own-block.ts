import type { Fix } from "../diagnostics/diagnostic.ts";
import { inTable } from "../in-table.ts";
import type { Registry } from "../kind.ts";
import { importsNear } from "../symbols/import-of.ts";
import type { File, Name } from "../syntax/ast.ts";

/** What a name of none of the blocks that are wanted may mean: one of the library, or something that nobody has heard of. */
export function ownBlock(
  name: Name,
  kinds: readonly string[],
  file: File,
  { kinds: known, std }: Registry,
): { readonly fixes: readonly Fix[]; readonly fix?: string } {
  const fixes = importsNear(name, file, std, kinds);
  const own = inTable(known, kinds[0] ?? "")?.own;
  if (fixes.length > 0 || own === undefined) return { fixes };
  return { fixes, fix: `Declare it with ${own.figures}: \`${own.declare(name.text)}\`.` };
}
