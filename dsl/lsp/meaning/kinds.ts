/** Descriptors by the words that are written: which kind a head opens, what a name in a kind is. */
import type { BlockKind, Constructor, Property, Registry, Type } from "../../kind.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import type { Path } from "../../syntax/ast.ts";
import { alternatives, meanings } from "../../types/type.ts";
import type { Meaning } from "./meaning.ts";
import { inTable } from "../../in-table.ts";

/** The symbol that a path of names begins with, through a namespace, and how many names it took. */
export function symbolOf(path: readonly string[], module: Module): { symbol: Symbol; used: number } | null {
  const first = module.names.get(path[0] ?? "");
  if (first === undefined) return null;
  const inner = first.kind === "namespace" ? first.of.names.get(path[1] ?? "") : undefined;
  return inner === undefined ? { symbol: first, used: 1 } : { symbol: inner, used: 2 };
}

export const textsOf = (path: Path): string[] => path.map((name) => name.text);

/** What a declared block is. */
export function kindOf(symbol: Symbol, registry: Registry): BlockKind | null {
  return symbol.kind === "block" ? (inTable(registry.kinds, symbol.node.head[0].text) ?? null) : null;
}

/** What a name means in a block of a kind: something to write, or something to ask for. */
export function memberOf(kind: BlockKind, name: string): Meaning | null {
  const property = inTable(kind.properties, name);
  if (property !== undefined) return { kind: "property", of: kind, name, property };
  const group = inTable(kind.blocks, name);
  if (group !== undefined) return { kind: "group", block: group };
  const derived = inTable(kind.derived, name);
  if (derived !== undefined) return { kind: "derived", of: kind, name, is: derived };
  if (kind.handles?.includes(name) === true || (name === "at" && kind.at !== undefined))
    return { kind: "handle", of: kind, name };
  return null;
}

/** The kind of block that a property refers to. */
export function kindReferred(type: Type | null, registry: Registry): BlockKind | null {
  for (const t of alternatives(type)) {
    const found = t.kind === "block" || t.kind === "handle" ? inTable(registry.kinds, t.kinds[0] ?? "") : undefined;
    if (found !== undefined) return found;
  }
  return null;
}

export type Choice = Extract<Type, { kind: "choice" }>;

export function choicesOf(type: Type | null): readonly Choice[] {
  return meanings(type).filter((t): t is Choice => t.kind === "choice");
}

export function constructorOf(type: Type | null, name: string): { choice: Choice; constructor: Constructor } | null {
  for (const choice of choicesOf(type)) {
    const constructor = inTable(choice.constructors, name);
    if (constructor !== undefined) return { choice, constructor };
  }
  return null;
}

/** A parameter of any constructor that a property may hold: `optimizer.lr`. */
export function parameterOf(type: Type | null, name: string): { of: string; property: Property } | null {
  for (const choice of choicesOf(type)) {
    for (const [of, constructor] of Object.entries(choice.constructors)) {
      const property = inTable(constructor.parameters, name);
      if (property !== undefined) return { of, property };
    }
  }
  return null;
}

/** How a block kind is written as a type: `Model`. */
export const pascal = (kind: string): string =>
  kind.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
