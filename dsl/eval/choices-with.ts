import type { BlockKind, Registry, Type } from "../kind.ts";
import { alternatives } from "../types/type.ts";

/**
 * What takes a choice with such a constructor, with what the choice is called: `optimizer` for `adamw`. Properties come before
 * arguments, `momentum of muon`.
 */
export function choicesWith(name: string, registry: Registry): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const seen = new Set<BlockKind>();
  const inArguments = new Map<string, string>();
  const choices = new Set<Type>();
  const inType = (taker: string, type: Type, into: Map<string, string>): void => {
    for (const each of alternatives(type)) {
      if (each.kind === "list") inType(taker, each.element, into);
      if (each.kind !== "choice") continue;
      if (Object.hasOwn(each.constructors, name)) into.set(taker, each.name);
      if (choices.has(each)) continue;
      choices.add(each);
      for (const [of, { parameters }] of Object.entries(each.constructors)) {
        for (const [parameter, { type: inner }] of Object.entries(parameters))
          inType(`${parameter} of ${of}`, inner, inArguments);
      }
    }
  };
  const inKind = (kind: BlockKind): void => {
    if (seen.has(kind)) return;
    seen.add(kind);
    for (const [property, { type }] of Object.entries(kind.properties)) inType(property, type, found);
    for (const inner of Object.values({ ...kind.blocks, ...kind.nested })) inKind(inner);
  };
  for (const kind of Object.values(registry.kinds)) inKind(kind);
  return new Map([...found, ...inArguments]);
}
