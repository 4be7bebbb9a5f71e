import type { TuningSpec } from "../../pipeline.ts";

/** How many layers, from the input on, stay as they are. */
export function frozenLayers(freeze: TuningSpec["freeze"], layers: number): number {
  return Math.round((freeze?.lower ?? 0) * layers);
}
