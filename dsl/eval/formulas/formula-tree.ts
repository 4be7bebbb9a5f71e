import type { FormulaTree, Value } from "../../types/value.ts";

/** A value as part of a formula; `undefined` for what has no place in one. */
export function treeOf(value: Value): FormulaTree | undefined {
  switch (value.kind) {
    case "number":
    case "bool":
    case "string":
      return value.value;
    case "member":
      return value.name;
    case "none":
      return null;
    case "list": {
      const items = value.items.map((item) => treeOf(item.value));
      return items.every((item) => item !== undefined) ? (items as FormulaTree[]) : undefined;
    }
    case "range":
      return { op: "..", of: [value.from.value, value.to.value] };
    case "choice": {
      const given = [...value.arguments].flatMap(([name, { value: v }]): [string, FormulaTree][] => {
        const tree = treeOf(v);
        return tree === undefined || tree === null ? [] : [[name, tree]];
      });
      return { name: value.name, ...(given.length > 0 ? { with: Object.fromEntries(given) } : {}) };
    }
    default:
      return undefined;
  }
}
