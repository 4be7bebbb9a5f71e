import type { BlockKind, Registry, Type } from "../kind.ts";
import { alternatives } from "../types/type.ts";

/** Properties that take a choice with such a constructor, with what the choice is called: `optimizer` for `adamw`. */
export function choicesWith(name: string, registry: Registry): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const seen = new Set<BlockKind>();
  const inType = (property: string, type: Type): void => {
    for (const each of alternatives(type)) {
      if (each.kind === "list") inType(property, each.element);
      else if (each.kind === "choice" && Object.hasOwn(each.constructors, name)) found.set(property, each.name);
    }
  };
  const inKind = (kind: BlockKind): void => {
    if (seen.has(kind)) return;
    seen.add(kind);
    for (const [property, { type }] of Object.entries(kind.properties)) inType(property, type);
    for (const inner of Object.values({ ...kind.blocks, ...kind.nested })) inKind(inner);
  };
  for (const kind of Object.values(registry.kinds)) inKind(kind);
  return found;
}
