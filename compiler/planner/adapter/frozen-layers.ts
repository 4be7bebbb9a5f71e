import type { Family } from "../../models/family.ts";
import type { TuningSpec } from "../../pipeline.ts";

/** How many layers, from the input on, stay as they are. */
export function frozenLayers(freeze: TuningSpec["freeze"], layers: number): number {
  return Math.round((freeze?.lower ?? 0) * layers);
}

/** How many of them have nothing below them that is trained: autograd keeps nothing of such a layer and never comes to it. */
export function unreachedLayers({ before }: Family, tuning: TuningSpec | undefined, layers: number): number {
  if (tuning === undefined) return 0;
  const areTablesFrozen = tuning.adapters !== null || tuning.freeze?.tables === true;
  const areAlone = before.every(({ role }) => role === "embedding" || role === "positions");
  return areTablesFrozen && areAlone ? frozenLayers(tuning.freeze, layers) : 0;
}
