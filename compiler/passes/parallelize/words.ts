/** Values of those properties of a layout that are a list of an engine's own. */
import type { Engine } from "../../engines/engine.ts";

export function wordsOf({ capabilities }: Engine, property: string): readonly (string | number)[] {
  switch (property) {
    case "zero_stage":
      return capabilities.zero_stages;
    case "recompute":
      return capabilities.recompute;
    case "offload":
      return capabilities.offload;
    case "pipeline_schedule":
      return capabilities.schedules ?? [];
    default:
      return [];
  }
}
