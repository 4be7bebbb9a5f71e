/** What Axolotl makes of its own options for the Trainer. Source: axolotl/core/builders/base.py: _configure_save_and_eval_strategy; causal.py: build. */
import { numberIn, toldIn, type Settings, type Told } from "../settings.ts";

/** Numbers of steps, and what counts them from the length of an epoch, which nobody knows here. */
const times = [
  ["eval_strategy", "eval_steps", "evals_per_epoch"],
  ["save_strategy", "save_steps", "saves_per_epoch"],
] as const;

/** Settings as the Trainer gets them: strategies follow from steps, and the best model is asked for only where saving falls on evaluations. */
export function throughAxolotl(given: Settings): Map<string, Told> {
  const settings = new Map(given);
  for (const [strategy, steps, perEpoch] of times) {
    const told = toldIn(settings, steps, perEpoch);
    if (told === undefined || told.value === false || (told.known && Number(told.value ?? 0) === 0)) continue;
    if (!settings.has(strategy)) settings.set(strategy, { ...told, value: "steps", known: true });
    if (!settings.has(steps)) settings.set(steps, { ...told, value: null, known: false });
  }
  const [save, evaluate] = [numberIn(settings, "save_steps"), numberIn(settings, "eval_steps")];
  const isOpen = ["save_steps", "eval_steps"].some((name) => settings.get(name)?.known === false);
  const best = settings.get("load_best_model_at_end");
  if (best === undefined) return settings;
  if (isOpen) settings.set("load_best_model_at_end", { ...best, value: null, known: false });
  else if (save === null || evaluate === null || evaluate === 0 || save % evaluate !== 0)
    settings.delete("load_best_model_at_end");
  return settings;
}
