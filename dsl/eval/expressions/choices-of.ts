import type { BlockKind, Registry, Type } from "../../kind.ts";
import { alternatives } from "../../types/type.ts";

/** A choice, and what takes it: a property, or an argument of another choice, `momentum of muon`. */
export interface Taken {
  readonly taker: string;
  readonly choice: Extract<Type, { kind: "choice" }>;
}

const known = new WeakMap<Registry, readonly Taken[]>();

/** All choices of a registry. Those of properties come before those of arguments. */
export function choicesOf(registry: Registry): readonly Taken[] {
  const earlier = known.get(registry);
  if (earlier !== undefined) return earlier;
  const inProperties: Taken[] = [];
  const inArguments: Taken[] = [];
  const kinds = new Set<BlockKind>();
  const choices = new Set<Type>();
  const inType = (taker: string, type: Type, into: Taken[]): void => {
    for (const each of alternatives(type)) {
      if (each.kind === "list") inType(taker, each.element, into);
      if (each.kind !== "choice") continue;
      into.push({ taker, choice: each });
      if (choices.has(each)) continue;
      choices.add(each);
      for (const [of, { parameters }] of Object.entries(each.constructors)) {
        for (const [parameter, { type: inner }] of Object.entries(parameters))
          inType(`${parameter} of ${of}`, inner, inArguments);
      }
    }
  };
  const inKind = (kind: BlockKind): void => {
    if (kinds.has(kind)) return;
    kinds.add(kind);
    for (const [property, { type }] of Object.entries(kind.properties)) inType(property, type, inProperties);
    for (const inner of Object.values({ ...kind.blocks, ...kind.nested })) inKind(inner);
  };
  for (const kind of Object.values(registry.kinds)) inKind(kind);
  const all = [...inProperties, ...inArguments];
  known.set(registry, all);
  return all;
}
