/** Leaves of a block by the paths of amendments: `optimizer.lr`. */
import { inTable } from "../../in-table.ts";
import type { Type } from "../../kind.ts";
import { alternatives } from "../../types/type.ts";
import type { Instance } from "../blocks/instance.ts";
import { groupOf } from "../blocks/property.ts";
import { constructorOfValue } from "../expressions/constructors.ts";

/** The one leaf of a block that a path means which it does not have: `lr` is `optimizer.lr`. */
export function leafMeant(block: Instance, path: readonly string[]): string | null {
  if (leafType(block, path) !== null) return null;
  const own = path.length > 1 && path[0] === block.name ? path.slice(1) : path;
  const { properties, blocks = {} } = block.kind;
  const inside = own.length > 1 ? [] : [...Object.keys(properties), ...Object.keys(blocks)];
  const found = [own, ...inside.map((name) => [name, ...own])].filter((each) => leafType(block, each) !== null);
  return found.length === 1 ? (found[0]?.join(".") ?? null) : null;
}

/** The type of a leaf, or `null` where the block has none by that path. */
export function leafType(block: Instance, [name, ...rest]: readonly string[]): Type | null {
  if (name === undefined) return null;
  const property = inTable(block.kind.properties, name);
  const [next] = rest;
  if (property !== undefined && next === undefined) return property.type;
  if (property !== undefined) {
    const { value } = block.context.property(block, name, block.span);
    if (value.kind === "block") return leafType(value.block, rest);
    if (value.kind !== "choice" || rest.length > 1) return null;
    return inTable(constructorOfValue(value, alternatives(property.type))?.parameters, next ?? "")?.type ?? null;
  }
  const child = groupOf(block, name);
  if (child !== null) return leafType(child, rest);
  const group = inTable(block.kind.blocks, name);
  return group === undefined || next === undefined || rest.length > 1
    ? null
    : (inTable(group.properties, next)?.type ?? null);
}
