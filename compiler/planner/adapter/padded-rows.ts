import { paddedVocab } from "../physics/parameters.ts";
import type { Choice, Setting } from "../setting.ts";
import { groundOf } from "./ground.ts";
import { layoutOf } from "./spread.ts";

/** Rows of the vocabulary's tables as the engine allocates them: as many on each tensor rank. */
export function paddedRows(setting: Setting, choice: Choice): number {
  const { engine } = groundOf(setting).describe(choice);
  return paddedVocab(setting.model.vocab, layoutOf(setting, choice), engine.padding);
}
