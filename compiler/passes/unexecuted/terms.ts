/** What of a formula nothing carries out. */
import type { FormulaNames, Property } from "../../../dsl/kind.ts";
import type { FormulaTree } from "../../../dsl/types/value.ts";

interface Term {
  readonly name: string;
  readonly with?: Readonly<Record<string, FormulaTree>>;
}

/** A term that a file declares is in no descriptor's list, and nothing carries it out. */
export function unrunIn({ name, with: given }: Term, names: FormulaNames | undefined): string[] {
  const found = names?.[name] ?? names?.[name.replace(/[^.]*$/, "*")];
  if (names === undefined) return [];
  if (found === undefined || found.runs === false) return [`\`${name}\``];
  const parameters = Object.entries(found.parameters ?? {}).filter(([, { runs }]) => runs === false);
  return parameters.flatMap(([parameter, property]) => {
    const value = given?.[parameter];
    return value === undefined || isUsual(value, property) ? [] : [`\`${parameter}\` of \`${name}\``];
  });
}

const isUsual = (value: FormulaTree, property: Property): boolean =>
  property.default !== undefined &&
  (property.default === String(value) || (value === 0 && property.default === "0%"));

export function termsIn(tree: FormulaTree): Term[] {
  if (tree === null || typeof tree !== "object") return [];
  if (Array.isArray(tree)) return tree.flatMap(termsIn);
  if ("op" in tree) return tree.of.flatMap(termsIn);
  return "name" in tree ? [tree] : [];
}
