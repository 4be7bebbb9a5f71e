/** As few layers run again as fit: of layouts that differ in nothing else, each layer more costs time and frees memory. */
import { groundOf } from "../adapter/ground.ts";
import { allows } from "../allows.ts";
import { alone, type Module } from "../physics/layout.ts";
import { kindsOf } from "../physics/tally.ts";
import { memoryOf } from "../memory.ts";
import { onCpu, type Choice, type Setting, type Split } from "../setting.ts";
import type { Settings } from "../../pipeline.ts";
import type { MemoryPlan } from "../../plan.ts";
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

/** The least of `fewest..most` of which `test` holds, which then holds of all above it; `most` where it holds of none. Most tests are of the first. */
export function leastOf(fewest: number, most: number, test: (count: number) => boolean): number {
  if (fewest >= most || test(fewest)) return Math.min(fewest, most);
  let [below, found] = [fewest, fewest + 1];
  while (found < most && !test(found)) [below, found] = [found, Math.min(most, 3 * found - 2 * below)];
  while (found - below > 1) {
    const middle = Math.floor((below + found) / 2);
    if (test(middle)) found = middle;
    else below = middle;
  }
  return found;
}

/** `choice` runs all layers again. With fewer than `fewest` of them it does not fit, and where that is some with none, whatever is spared. */
export function leastRepeated(
  setting: Setting,
  choice: Choice,
  spared: readonly Module[] = [],
  fewest = 0,
): Evaluated {
  const layers = Math.max(1, layersOfChunk(setting, choice));
  const none: Choice = { ...choice, recompute: "none" };
  // What takes no longer comes first.
  for (const each of fewest > 0 ? [] : [none, ...(spared.length === 0 ? [] : [sparing(choice, spared)])]) {
    const memory = memoryOf(setting, each);
    if (holdsIn(setting, memory)) return evaluate(setting, each, memory);
  }
  const at = (count: number): Choice => (count === layers ? choice : { ...choice, repeats: count });
  const known = new Map<number, MemoryPlan>();
  const memoryAt = (count: number): MemoryPlan => {
    let memory = known.get(count);
    if (memory === undefined) known.set(count, (memory = memoryOf(setting, at(count))));
    return memory;
  };
  const count = leastOf(Math.max(1, fewest), layers, (each) => holdsIn(setting, memoryAt(each)));
  return evaluate(setting, at(count), memoryAt(count));
}

const sparing = (choice: Choice, modules: readonly Module[]): Choice => ({
  ...choice,
  recompute: "selective",
  modules,
});
