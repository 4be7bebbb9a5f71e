/** As few layers run again as fit: of layouts that differ in nothing else, each layer more costs time and frees memory. */
import { groundOf } from "../adapter/ground.ts";
import { allows } from "../allows.ts";
import { alone } from "../physics/layout.ts";
import { kindsOf } from "../physics/tally.ts";
import { memoryOf } from "../memory.ts";
import { onCpu, type Choice, type Setting, type Split } from "../setting.ts";
import type { Settings } from "../../pipeline.ts";
import { evaluate, holdsIn, type Evaluated } from "./evaluate.ts";

/** May the planner say how many layers run again? Where neither the layout nor the engine's own words speak of it, and the engine takes a number. */
export function isCounted(setting: Setting, layout: Settings): boolean {
  const { engine, details, raw, model } = setting;
  const { capabilities, relaid } = engine;
  if (onCpu(setting) || capabilities.details?.includes("block") !== true) return false;
  if (layout.given.has("recompute") || details?.block !== undefined || details?.uniform !== undefined) return false;
  if (!(["none", "full"] as const).every((kind) => allows(layout, "recompute", kind))) return false;
  if (raw === undefined || relaid === undefined) return true;
  const half = relaid({ ...alone, recompute: "full", share: 0.5 }, raw, model.layers);
  const none = relaid(alone, raw, model.layers);
  return none.recompute === "none" && half.share === 0.5 && half.unit === undefined;
}

/** Layers of a chunk of which any number may run again; 0 where a number would say no bytes: layers differ, or chunks do. */
export function layersOfChunk(
  setting: Setting,
  { pipeline_parallel, virtual_pipeline }: Pick<Split, "pipeline_parallel" | "virtual_pipeline">,
): number {
  const layers = setting.model.layers / (pipeline_parallel * virtual_pipeline);
  return Number.isInteger(layers) && kindsOf(groundOf(setting).shape).length === 1 ? layers : 0;
}

/** The least of `0..most` of which `test` holds, which then holds of all above it; `most` where it holds of none. */
export function leastOf(most: number, test: (count: number) => boolean): number {
  if (test(0)) return 0;
  let [low, high] = [1, most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** `choice` runs all layers again. */
export function leastRepeated(setting: Setting, choice: Choice): Evaluated {
  const layers = Math.max(1, layersOfChunk(setting, choice));
  const at = (count: number): Choice =>
    count === 0 ? { ...choice, recompute: "none" } : count === layers ? choice : { ...choice, repeats: count };
  return evaluate(setting, at(leastOf(layers, (count) => holdsIn(setting, memoryOf(setting, at(count))))));
}
