/** A formula that compares one name with a number, whichever side the number stands on. */
import type { FormulaTree } from "../../../dsl/types/value.ts";

const turned = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==" } as const;

export interface Comparison {
  readonly name: string;
  /** The point it is asked at, where the formula says one. */
  readonly at: number | null;
  readonly op: keyof typeof turned;
  readonly value: number;
}

export function comparison(tree: FormulaTree): Comparison | null {
  if (typeof tree !== "object" || tree === null || !("op" in tree) || !(tree.op in turned)) return null;
  const op = tree.op as keyof typeof turned;
  const [left = null, right = null] = tree.of;
  if (typeof left === "number") return comparison({ op: turned[op], of: [right, left] });
  if (typeof right !== "number" || typeof left !== "object" || left === null || !("name" in left)) return null;
  return { name: left.name, at: typeof left.at === "number" ? left.at : null, op, value: right };
}
