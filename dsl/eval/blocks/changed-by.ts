/** What a phase changes of the block around it. */
import { show, type Valued } from "../../types/value.ts";
import { amended, ownerOf } from "./amended.ts";
import type { Instance } from "./instance.ts";
import { groupOf } from "./property.ts";
import { inTable } from "../../in-table.ts";

/** By the path of what is changed, as an amendment says it: what it is while the phase lasts. */
export function changedBy(phase: Instance): ReadonlyMap<string, Valued> {
  const [owner, copy] = [ownerOf(phase), amended(phase)];
  if (owner === null || copy === null) return new Map();
  const before = valuesIn(owner);
  return new Map(
    [...valuesIn(copy)].filter(([path, { value }]) => {
      const known = before.get(path);
      return known === undefined || show(known.value, most) !== show(value, most);
    }),
  );
}

const most = 1_000_000;

function valuesIn(block: Instance, path = "", found = new Map<string, Valued>()): Map<string, Valued> {
  const { kind, context } = block;
  for (const name of new Set([...Object.keys(kind.properties), ...block.values.keys()])) {
    const said = inTable(kind.blocks, name) === undefined ? context.property(block, name, block.span) : null;
    if (said !== null) found.set(`${path}${name}`, said);
  }
  for (const name of new Set([...Object.keys(kind.blocks ?? {}), ...block.blocks.keys()])) {
    const group = groupOf(block, name);
    if (group !== null && group.kind.amends !== true) valuesIn(group, `${path}${name}.`, found);
  }
  return found;
}
