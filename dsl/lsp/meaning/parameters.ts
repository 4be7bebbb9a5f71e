/** What a call takes. */
import { builtins } from "../../eval/expressions/builtins.ts";
import { pathOf } from "../../eval/formulas/formula-names.ts";
import type { Property, Registry, Type } from "../../kind.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import type { Expression, Name, Param } from "../../syntax/ast.ts";
import { kindOf, symbolOf, textsOf } from "./kinds.ts";
import { enumWritten, type Place, type Words } from "./place.ts";

interface Declared {
  readonly name: Name;
  readonly type: Type | null;
}

/** The parameters of a function of the language. */
export function builtinParameters(
  callee: Expression,
  { locals }: Place,
  module: Module,
): Readonly<Record<string, Property>> {
  const name = callee.kind === "reference" && !locals.has(callee.name.text) ? callee.name.text : "";
  const builtin = module.names.has(name) ? undefined : builtins.get(name);
  return Object.fromEntries((builtin?.parameters ?? []).map(({ name: own, type }) => [own, { type, doc: "" }]));
}

/** The declaration that an expression names as a whole: `f`, `lib.f`. */
export function symbolNamed(e: Expression, { locals }: Place, module: Module): Symbol | null {
  const path = pathOf(e)?.split(".") ?? [];
  const found = locals.has(path[0] ?? "") ? null : symbolOf(path, module);
  return found?.used === path.length ? found.symbol : null;
}

/** The parameters of what is called, where the user declared it. */
export function declaredParameters(
  callee: Expression,
  place: Place,
  { module, registry }: Words,
): readonly Declared[] | null {
  const symbol = symbolNamed(callee, place, module);
  if (symbol?.kind !== "fn") return symbol === null ? null : pluginParameters(symbol, registry);
  return symbol.node.parameters.map(({ name, type }) => ({ name, type: enumWritten(type, symbol.module) }));
}

const pluginParameters = (symbol: Symbol, registry: Registry): readonly Declared[] =>
  paramsOf(symbol, registry).map(({ node, module }) => ({ name: node.name, type: enumWritten(node.type, module) }));

/** The `param`s of a block that makes a constructor: its own, and those that it inherits. */
export function paramsOf(
  symbol: Symbol,
  registry: Registry,
  seen: readonly Symbol[] = [],
): readonly { readonly node: Param; readonly module: Module }[] {
  if (symbol.kind !== "block" || seen.includes(symbol) || kindOf(symbol, registry)?.constructs === undefined)
    return [];
  const { extends: above, body } = symbol.node;
  const { module } = symbol;
  const parent = above === null ? null : symbolOf(textsOf(above), module);
  const own = (body ?? []).flatMap((node) => (node.kind === "param" ? [{ node, module }] : []));
  return [...own, ...(parent === null ? [] : paramsOf(parent.symbol, registry, [...seen, symbol]))];
}
