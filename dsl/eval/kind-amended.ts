/** `stage.seed = 3` at the top of a file: one block is meant there, and only variants amend all of a kind. */
import { misplaced } from "../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { replacement } from "../diagnostics/suggest.ts";
import type { Symbol } from "../symbols/symbol.ts";
import type { Name } from "../syntax/ast.ts";

export function kindAmended({ text, span }: Name, known: readonly Symbol[]): Diagnostic {
  const valid = known.flatMap((symbol) =>
    symbol.kind === "block" && symbol.node.head[0].text === text ? [symbol.name.text] : [],
  );
  const [only] = valid;
  const fixes = only !== undefined && valid.length === 1 ? [replacement(span, only)] : [];
  const what = `\`${text}.…\``;
  const where = `at the top of a file: a kind stands for all its blocks in a preset, an overlay or \`--set\``;
  const fix = `Name the ${text} that is meant, or put the line into an overlay.`;
  return misplaced(span, { what, where }, { valid: valid.sort(), fixes, fix });
}
