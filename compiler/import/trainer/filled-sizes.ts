/** `"auto"` of ZeRO that the Trainer and accelerate fill from the width of the model. */
import { atPath, type Section } from "./deepspeed-document.ts";
import type { Left } from "./facts.ts";

/** transformers/integrations/deepspeed.py: trainer_config_finalize; accelerate/accelerator.py: _prepare_deepspeed */
const sizes: Readonly<Record<string, { readonly of: (hidden: number) => number; readonly third: boolean }>> = {
  "zero_optimization.reduce_bucket_size": { of: (hidden) => hidden * hidden, third: false },
  "zero_optimization.stage3_prefetch_bucket_size": { of: (hidden) => Math.trunc(0.9 * hidden * hidden), third: true },
  "zero_optimization.stage3_param_persistence_threshold": { of: (hidden) => 10 * hidden, third: true },
};

/** What is filled, by its path. */
export function filledBySize(config: Section, hidden: number): Map<string, number> {
  return new Map(openIn(config).map((path) => [path, sizes[path]?.of(hidden) ?? 0]));
}

/** What of these nobody can fill here, since no file gives the width. */
export function unsizedIn(config: Section | null): readonly Left[] {
  const why = 'it is "auto", which the Trainer fills from the model\'s hidden size, and no file gives that';
  return config === null ? [] : openIn(config).map((what) => ({ what, why }));
}

function openIn(config: Section): readonly string[] {
  const stage = Number(atPath(config, "zero_optimization.stage") ?? 0);
  return Object.entries(sizes).flatMap(([path, { third }]) =>
    atPath(config, path) === "auto" && stage > 0 && (stage === 3 || !third) ? [path] : [],
  );
}
