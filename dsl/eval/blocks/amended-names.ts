import { isVariant } from "../../is-variant.ts";
import type { Registry } from "../../kind.ts";
import { identityOf, namedIn } from "../../symbols/known-as.ts";
import type { BlockSymbol, Module, ParamSymbol } from "../../symbols/symbol.ts";
import type { Path, Statement } from "../../syntax/ast.ts";

type Modules = ReadonlyMap<string, Module>;

/** What the first words of an amendment stand for, and what is left of its path. */
export interface Head {
  /** As written; of a kind word, the name of each block. */
  readonly name: string;
  /** Of the declaration: one that is reached by two names is one. */
  readonly key: string;
  readonly rest: readonly string[];
}

/** The block that an amendment names, by whichever of its names; with `modules`, every block of the kind that it names. */
export function amendedHeads(
  statement: Statement,
  module: Module,
  { kinds }: Registry,
  modules: Modules | null,
): readonly Head[] {
  const written: Path | null =
    statement.kind === "block" ? statement.head : "target" in statement ? statement.target : null;
  if (written === null) return [];
  const { path, symbol } = namedIn(written, module);
  const [{ text }, ...others] = path;
  const rest = others.map((name) => name.text);
  const name = written
    .slice(0, written.length - rest.length)
    .map((each) => each.text)
    .join(".");
  if (symbol !== undefined) return [{ name, key: identityOf(symbol), rest }];
  const param = modules === null || Object.hasOwn(kinds, text) ? null : theParam(modules, text);
  if (param !== null) return [{ name, key: identityOf(param), rest }];
  if (modules === null || module.names.has(text) || !Object.hasOwn(kinds, text)) return [{ name, key: name, rest }];
  return [...everyBlock(modules, text)].map((each) => ({ name: each.name.text, key: identityOf(each), rest }));
}

/** A param is known by its name in the whole program, where one file alone declares it: no import is needed to set it. */
export function theParam(modules: Modules, name: string): ParamSymbol | null {
  const found = [...modules.values()].flatMap((module) => {
    const symbol = module.names.get(name);
    return symbol?.kind === "param" && symbol.module === module && symbol.name.text === name ? [symbol] : [];
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The concrete blocks of a kind that the user's files declare. */
export function* everyBlock(modules: Modules, kind: string): Generator<BlockSymbol> {
  for (const symbol of everyDeclared(modules, kind)) if (!symbol.node.abstract) yield symbol;
}

/** The same with its templates. */
export function* everyDeclared(modules: Modules, kind: string): Generator<BlockSymbol> {
  for (const module of modules.values()) {
    if (module.path.startsWith("std/")) continue;
    for (const symbol of module.names.values()) {
      if (symbol.kind === "block" && symbol.module === module && symbol.node.head[0].text === kind) yield symbol;
    }
  }
}

/** The kinds of which the user's files declare a block that variants may amend. */
export const kindsDeclared = (modules: Modules, { kinds }: Registry): readonly string[] =>
  Object.values(kinds).flatMap((kind) =>
    isVariant(kind) || everyBlock(modules, kind.name).next().done === true ? [] : [kind.name],
  );
