/** Names that a file has for what is declared there or elsewhere: its own, an alias, or one behind the name of an imported file. */
import type { Path } from "../syntax/ast.ts";
import type { Module, Symbol } from "./symbol.ts";

/** What an amendment speaks of, below the name of an imported file where it begins with one. */
export function namedIn(
  path: Path,
  { names }: Module,
): { readonly path: Path; readonly symbol: Symbol | undefined; readonly names: Module["names"] } {
  const [head, next, ...rest] = path;
  const symbol = names.get(head.text);
  if (symbol?.kind !== "namespace" || next === undefined) return { path, symbol, names };
  const inner = symbol.of.names.get(next.text);
  const own = inner?.module === symbol.of ? inner : undefined;
  return { path: [next, ...rest], symbol: own, names: symbol.of.names };
}

/** What is declared, by whatever name it is reached; the same in every compilation of the same files. */
export const identityOf = ({ module, name }: Pick<Symbol, "module" | "name">): string =>
  `${module.path}#${name.text}`;

/** How a file names something: `pre`, `p` where it imports it so, `lib.pre`; as it calls itself where the file does not know it. */
export function knownAs(symbol: Symbol, module: Module): readonly [string, ...string[]] {
  const identity = identityOf(symbol);
  for (const [name, known] of module.names)
    if (known.kind !== "namespace" && identityOf(known) === identity) return [name];
  for (const [name, known] of module.names)
    if (known.kind === "namespace" && known.of.path === symbol.module.path) return [name, symbol.name.text];
  return [symbol.name.text];
}
