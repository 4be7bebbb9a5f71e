import type { Module, ParamSymbol } from "./symbol.ts";

const known = new WeakMap<Module, ReadonlyMap<string, ParamSymbol>>();

/** Params by their names in the whole program, in this file and in all that it imports: where one file alone declares it, no import is needed to set it. */
export function programParams(module: Module): ReadonlyMap<string, ParamSymbol> {
  let found = known.get(module);
  if (found === undefined) {
    const all = [...reached(module, new Set())].flatMap(paramsOf);
    const times = Map.groupBy(all, ({ name }) => name.text);
    found = new Map(all.filter(({ name }) => times.get(name.text)?.length === 1).map((p) => [p.name.text, p]));
    known.set(module, found);
  }
  return found;
}

const paramsOf = (module: Module): readonly ParamSymbol[] =>
  [...module.names.values()].filter((symbol) => symbol.kind === "param" && symbol.module === module) as ParamSymbol[];

function reached(module: Module, seen: Set<Module>): ReadonlySet<Module> {
  if (seen.has(module)) return seen;
  seen.add(module);
  for (const symbol of module.names.values()) reached(symbol.kind === "namespace" ? symbol.of : symbol.module, seen);
  return seen;
}
