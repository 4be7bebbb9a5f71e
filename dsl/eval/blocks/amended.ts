import { enclosing, type Instance } from "./instance.ts";
import { applyStatement } from "./merge.ts";
import { copyOf } from "./new-instance.ts";

const made = new WeakMap<Instance, Instance | null>();

/** The declared block around a phase, as it is while the phase lasts; `null` for a phase that stands in none. */
export function amended(phase: Instance): Instance | null {
  const known = made.get(phase);
  if (known !== undefined) return known;
  const around = [...enclosing(phase)];
  const at = around.findIndex((block) => block !== phase && block.symbol !== null);
  const owner = around[at];
  const holder = around[at - 1];
  if (owner === undefined || holder === undefined) return null;
  const copy = copyOf(owner, owner);
  // The phases themselves are no part of what a phase changes.
  for (const [name, child] of owner.blocks) if (child === holder) copy.blocks.delete(name);
  made.set(phase, copy);
  for (const { node, by } of phase.amendments) applyStatement(copy, node, by);
  return copy;
}
