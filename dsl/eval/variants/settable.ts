/** The params that `--set NAME=` can mean, by the name that it says. */
import type { Loaded } from "../../symbols/load.ts";
import type { ParamSymbol } from "../../symbols/symbol.ts";

type Files = Pick<Loaded, "root" | "modules">;
type Params = ReadonlyMap<string, readonly [ParamSymbol, ...ParamSymbol[]]>;

/** Every variant of a file has the same. */
const known = new WeakMap<Files["modules"], Params>();

/**
 * A param is program-wide: each file's are known by their own names. What the entry file declares or imports by a name is
 * meant by that name alone, and what it reaches through the name of a file by that too; several under one name are params of other files, and none of them is meant.
 */
export function settable(loaded: Files): Params {
  let params = known.get(loaded.modules);
  if (params === undefined) known.set(loaded.modules, (params = paramsOf(loaded)));
  return params;
}

function paramsOf(loaded: Files): Params {
  const found = new Map<string, [ParamSymbol, ...ParamSymbol[]]>();
  for (const [name, symbol] of loaded.root.names) if (symbol.kind === "param") found.set(name, [symbol]);
  for (const [name, symbol] of loaded.root.names) {
    if (symbol.kind !== "namespace") continue;
    for (const param of symbol.of.names.values())
      if (param.kind === "param" && param.module === symbol.of) found.set(`${name}.${param.name.text}`, [param]);
  }
  const own = new Set(found.keys());
  for (const module of loaded.modules.values()) {
    for (const symbol of module.names.values()) {
      if (symbol.kind !== "param" || symbol.module !== module || own.has(symbol.name.text)) continue;
      const others = found.get(symbol.name.text);
      if (others === undefined) found.set(symbol.name.text, [symbol]);
      else others.push(symbol);
    }
  }
  return found;
}
