import { enclosing, type Instance } from "./instance.ts";
import { applyStatement } from "./merge.ts";
import { copyOf } from "./new-instance.ts";

const made = new WeakMap<Instance, Instance | null>();

/** The declared block around a phase; `null` for a phase that stands in none. */
export const ownerOf = (phase: Instance): Instance | null =>
  [...enclosing(phase)].find((block) => block !== phase && block.symbol !== null) ?? null;

/** The declared block around a phase, as it is while the phase lasts; `null` for a phase that stands in none. */
export function amended(phase: Instance): Instance | null {
  const known = made.get(phase);
  if (known !== undefined) return known;
  const around = [...enclosing(phase)];
  const owner = ownerOf(phase);
  const holder = owner === null ? undefined : around[around.indexOf(owner) - 1];
  if (owner === null || holder === undefined) return null;
  const copy = copyOf(owner, owner);
  // The phases themselves are no part of what a phase changes.
  for (const [name, child] of owner.blocks) if (child === holder) copy.blocks.delete(name);
  made.set(phase, copy);
  for (const { node, by } of phase.amendments) applyStatement(copy, node, by);
  return copy;
}
