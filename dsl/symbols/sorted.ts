import { inTable } from "../in-table.ts";
import { isVariant } from "../is-variant.ts";
import type { Registry } from "../kind.ts";
import type { BlockSymbol, Module, Symbol } from "./symbol.ts";

/** The names of a file by what they stand for: each of its variants asks for some of them, and not for all the others. */
export interface Sorted {
  /** What is declared here and says something of itself, in the order of the text. */
  readonly blocks: readonly BlockSymbol[];
  readonly values: readonly Exclude<Symbol, { kind: "block" | "namespace" }>[];
  /** All blocks that the file has a name for, by the word of their kind. */
  readonly known: ReadonlyMap<string, readonly BlockSymbol[]>;
}

const sortedModules = new WeakMap<Module, Sorted>();

export function sorted(module: Module, { kinds }: Registry): Sorted {
  const before = sortedModules.get(module);
  if (before !== undefined) return before;
  const all = [...module.names.values()];
  const named = all.filter((symbol) => symbol.kind === "block");
  const made: Sorted = {
    blocks: named.filter(
      (symbol) => symbol.module === module && !isVariant(inTable(kinds, symbol.node.head[0].text)),
    ),
    values: all.flatMap((symbol) =>
      symbol.module === module && symbol.kind !== "block" && symbol.kind !== "namespace" ? [symbol] : [],
    ),
    known: Map.groupBy(named, (symbol) => symbol.node.head[0].text),
  };
  sortedModules.set(module, made);
  return made;
}
