import { paddedVocab } from "../physics/parameters.ts";
import { onCpu, type Choice, type Setting } from "../setting.ts";
import { groundOf } from "./ground.ts";
import { layoutOf } from "./spread.ts";

/** Rows of the vocabulary's tables as the engine allocates them: as many on each tensor rank. */
export function paddedRows(setting: Setting, choice: Choice): number {
  // A processor's ranks hold whole tables, and nobody reckons its blocks one by one.
  if (onCpu(setting)) return setting.model.vocab;
  const { engine } = groundOf(setting).describe(choice);
  return paddedVocab(setting.model.vocab, layoutOf(setting, choice), engine.padding);
}
