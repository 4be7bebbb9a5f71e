import type { Registry } from "../kind.ts";
import type { BlockSymbol, Module } from "../symbols/symbol.ts";
import type { Statement } from "../syntax/ast.ts";

type Modules = ReadonlyMap<string, Module>;

/** The names that the first word of an amendment stands for: its own, or all blocks of a kind. */
export function amendedNames(
  statement: Statement,
  module: Module,
  modules: Modules,
  { kinds }: Registry,
): readonly string[] {
  const head = statement.kind === "block" ? statement.head[0] : "target" in statement ? statement.target[0] : null;
  if (head === null) return [];
  if (module.names.has(head.text) || !(head.text in kinds)) return [head.text];
  return [...everyBlock(modules, head.text)].map((symbol) => symbol.name.text);
}

/** The concrete blocks of a kind that the user's files declare. */
export function* everyBlock(modules: Modules, kind: string): Generator<BlockSymbol> {
  for (const module of modules.values()) {
    if (module.path.startsWith("std/")) continue;
    for (const symbol of module.names.values()) {
      if (
        symbol.kind === "block" &&
        symbol.module === module &&
        symbol.node.head[0].text === kind &&
        !symbol.node.abstract
      )
        yield symbol;
    }
  }
}
