/** What of a model offloading moves to the hosts, of all ranks together. */
import { groundOf } from "./adapter/ground.ts";
import type { Choice, Setting } from "./setting.ts";

/** Parameters whose states are offloaded. */
export function hostedParameters(setting: Setting): number {
  return setting.tuning === undefined ? setting.model.parameters.total : groundOf(setting).trained;
}

/**
 * Bytes of weights that are not trained: they lie beside the others, as wide as on a device. Tables have no four bits
 * (transformers, integrations/bitsandbytes.py: replace_with_bnb_linear takes linear layers alone).
 */
export function hostedFrozen(
  setting: Setting,
  { zero_stage, offload }: Pick<Choice, "zero_stage" | "offload">,
): number {
  const { model, tuning } = setting;
  if (tuning === undefined || offload !== "all") return 0;
  const { describe, trained } = groundOf(setting);
  const { states, gathered = 2 } = describe({ zero_stage, offload }).engine;
  const hasAdapters = tuning.adapters !== null;
  const all = model.parameters.total - (hasAdapters ? 0 : trained);
  const tables = hasAdapters ? Math.min(all, (model.tied ? 1 : 2) * model.d_model * model.vocab) : 0;
  const width = Math.min(states.frozen ?? gathered, gathered);
  return width * (all - tables) + Math.max(width, Math.min(2, gathered)) * tables;
}
