/** Groups that nobody wrote: what holds all the same. */
import { defaultOf } from "./default.ts";
import type { Instance } from "./instance.ts";
import { newInstance } from "./new-instance.ts";
import { groupOf } from "./property.ts";
import { inTable } from "../../in-table.ts";

/** Whether a group is taken out: `split = none`. One that nobody speaks of is not. */
export const isRemoved = (block: Instance, name: string): boolean =>
  groupOf(block, name) === null && block.values.has(name) && block.values.get(name)?.expression.kind !== "auto";

/** A group as it was written, else as it holds where it is not; `null` where nothing of it holds, or it was removed. */
export function heldGroup(block: Instance, name: string): Instance | null {
  return decidedGroup(block, name) ?? impliedGroup(block, name);
}

/** A group as it was written, else one that the compiler decides: removing what was said gives it back to whoever does. */
export function decidedGroup(block: Instance, name: string): Instance | null {
  const written = groupOf(block, name);
  const kind = inTable(block.kind.blocks, name);
  if (written !== null || kind?.held?.(block) !== true) return written;
  return newInstance(kind, null, block, block.span, block.context);
}

function impliedGroup(block: Instance, name: string): Instance | null {
  const kind = inTable(block.kind.blocks, name);
  if (kind?.implied === undefined || (kind.kept !== true && isRemoved(block, name))) return null;
  const group = newInstance(kind, null, block, block.span, block.context);
  const source = `no \`${name}\` is written`;
  for (const [property, descriptor] of Object.entries(kind.properties)) {
    const said = kind.implied[property];
    const holds = said === undefined ? descriptor : { ...descriptor, default: said };
    const value = defaultOf(holds, kind.name, block.span, block.context);
    group.evaluated.set(property, { ...value, origin: { kind: "default", by: kind.name, source } });
  }
  return group;
}
