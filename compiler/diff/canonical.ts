/** Formulas of equal meaning as one text: terms and factors in one order, numbers worked out, `a > b` as `b < a`. */
import type { FormulaTree } from "../../dsl/types/value.ts";

/** By its factors in order: what a term is multiplied by. */
type Sum = ReadonlyMap<string, number>;

const product = "\u0001";
const either = new Set(["and", "or", "==", "!="]);
const turned: Readonly<Record<string, string>> = { ">": "<", ">=": "<=" };

export const canonical = (tree: FormulaTree): string => text(sumOf(tree));

/** What sums in another order give is the same number. */
export const digits = (value: number): string => String(Number(value.toPrecision(12)));

function sumOf(tree: FormulaTree): Sum {
  if (typeof tree === "number") return new Map([["", tree]]);
  if (tree === null || typeof tree !== "object" || !("op" in tree)) return new Map([[atom(tree), 1]]);
  const parts = tree.of.map(sumOf);
  const [left, right] = parts;
  if (left !== undefined && right === undefined && tree.op === "-") return scaled(left, -1);
  if (left !== undefined && right !== undefined)
    switch (tree.op) {
      case "+":
        return added(left, right);
      case "-":
        return added(left, scaled(right, -1));
      case "*":
        return times(left, right);
      case "/":
        return times(left, inverse(right));
    }
  return new Map([[operation(tree.op, tree.of.map(canonical)), 1]]);
}

function operation(op: string, of: readonly string[]): string {
  const straight = turned[op];
  if (straight !== undefined) return operation(straight, of.toReversed());
  return `${op}(${(either.has(op) ? of.toSorted() : of).join(", ")})`;
}

function atom(tree: Exclude<FormulaTree, number | { op: string }>): string {
  if (tree === null || typeof tree !== "object") return JSON.stringify(tree);
  if (!("name" in tree)) return `[${(tree as readonly FormulaTree[]).map(canonical).join(", ")}]`;
  const given = Object.entries(tree.with ?? {}).map(([name, value]) => `${name} = ${canonical(value)}`);
  const at = tree.at === undefined ? "" : `@${canonical(tree.at)}`;
  return `${tree.name}${given.length === 0 ? "" : `(${given.sort().join(", ")})`}${at}`;
}

const scaled = (sum: Sum, by: number): Sum => new Map([...sum].map(([term, each]) => [term, each * by]));

function added(a: Sum, b: Sum): Sum {
  const all = new Map(a);
  for (const [term, each] of b) all.set(term, (all.get(term) ?? 0) + each);
  return all;
}

function times(a: Sum, b: Sum): Sum {
  const [ofA, ofB] = [alone(a), alone(b)];
  if (ofA?.term === "") return scaled(b, ofA.times);
  if (ofB?.term === "") return scaled(a, ofB.times);
  const [one, other] = [ofA ?? whole(a), ofB ?? whole(b)];
  const factors = [...one.term.split(product), ...other.term.split(product)].sort();
  return new Map([[factors.join(product), one.times * other.times]]);
}

/** A sum of one term. */
function alone(sum: Sum): { readonly term: string; readonly times: number } | null {
  const [first, second] = [...sum];
  return first === undefined || second !== undefined ? null : { term: first[0], times: first[1] };
}

const whole = (sum: Sum): { readonly term: string; readonly times: number } => ({ term: `(${text(sum)})`, times: 1 });

function inverse(sum: Sum): Sum {
  const only = alone(sum);
  if (only?.term === "" && only.times !== 0) return new Map([["", 1 / only.times]]);
  return new Map([[`1/(${text(sum)})`, 1]]);
}

function text(sum: Sum): string {
  const terms = [...sum]
    .filter(([, each]) => each !== 0)
    .map(([term, each]) => (term === "" ? digits(each) : each === 1 ? term : `${digits(each)} × ${term}`));
  return terms.length === 0 ? "0" : terms.sort().join(" + ").replaceAll(product, " × ");
}
