import type { Registry, Type } from "../../kind.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import { inTable } from "../../in-table.ts";

/** What a declaration is called that could stand where a word of one of these types does, or `null`: no stage is a format. */
export function rivalOf(symbol: Symbol | undefined, types: readonly Type[], { kinds }: Registry): string | null {
  if (symbol === undefined || symbol.kind === "enum" || symbol.kind === "namespace") return null;
  if (symbol.kind !== "block") return symbol.kind === "fn" ? "function" : symbol.kind;
  const kind = inTable(kinds, symbol.node.head[0].text);
  if (kind === undefined) return null;
  const takes = (type: Type): boolean =>
    type.kind === "block" || type.kind === "handle"
      ? type.kinds.includes(kind.name)
      : type.kind === "any" || (type.kind === "path" && kind.path !== undefined);
  return kind.constructs !== undefined || types.some(takes) ? kind.name : null;
}
