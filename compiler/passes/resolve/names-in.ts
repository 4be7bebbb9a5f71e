import type { FormulaTree } from "../../../dsl/types/value.ts";

/** What a formula speaks of, as often as it does. */
export function namesIn(tree: FormulaTree): string[] {
  if (tree === null || typeof tree !== "object") return [];
  if (Array.isArray(tree)) return tree.flatMap(namesIn);
  if ("op" in tree) return tree.of.flatMap(namesIn);
  return "name" in tree ? [tree.name] : [];
}
