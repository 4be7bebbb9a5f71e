/** What a loss that is a sum makes of its terms: the weight of each; `null` where it is no sum of them. */
import type { FormulaTree } from "../../../dsl/types/value.ts";

export function lossWeights(tree: FormulaTree): ReadonlyMap<string, number> | null {
  if (typeof tree === "number") return new Map([["", tree]]);
  if (tree === null || typeof tree !== "object" || Array.isArray(tree)) return null;
  if (!("op" in tree)) return "name" in tree ? new Map([[termOf(tree), 1]]) : null;
  const parts = tree.of.map(lossWeights);
  const [left, right] = parts;
  if (left == null || parts.includes(null)) return null;
  if (right == null) return tree.op === "-" ? scaled(left, -1) : null;
  switch (tree.op) {
    case "+":
      return sum(left, right);
    case "-":
      return sum(left, scaled(right, -1));
    case "*":
      return isConstant(left)
        ? scaled(right, constant(left))
        : isConstant(right)
          ? scaled(left, constant(right))
          : null;
    case "/":
      return isConstant(right) && constant(right) !== 0 ? scaled(left, 1 / constant(right)) : null;
    default:
      return null;
  }
}

/** A term and how it is asked: `cross_entropy(over = answers)` is another one than `cross_entropy`. */
const termOf = (term: Extract<FormulaTree, { readonly name: string }>): string =>
  term.with === undefined ? term.name : `${term.name} ${JSON.stringify(term.with)}`;

const isConstant = (weights: ReadonlyMap<string, number>): boolean =>
  [...weights.keys()].every((term) => term === "");
const constant = (weights: ReadonlyMap<string, number>): number => weights.get("") ?? 0;

const scaled = (weights: ReadonlyMap<string, number>, by: number): ReadonlyMap<string, number> =>
  new Map([...weights].map(([term, weight]) => [term, weight * by]));

const sum = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...new Set([...a.keys(), ...b.keys()])].map((term) => [term, (a.get(term) ?? 0) + (b.get(term) ?? 0)]));
