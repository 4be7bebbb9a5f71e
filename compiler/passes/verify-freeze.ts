/** A share of the layers that comes to none of them, or to all. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { freezeLayers } from "../diagnostics/stage.ts";
import type { StageStep } from "../pipeline.ts";
import type { StagePlan } from "../plan.ts";
import { frozenLayers } from "../planner/adapter/frozen-layers.ts";
import { textIn } from "./resolve/expectations.ts";
import { valued } from "./resolve/read.ts";

export function frozen(block: Instance, { tuning }: StageStep, { model }: StagePlan): Diagnostic[] {
  const { layers } = model;
  const freeze = tuning?.freeze ?? null;
  if (tuning === undefined || freeze === null || freeze === "embeddings") return [];
  const still = frozenLayers(freeze, layers);
  if (still > 0 && still < layers) return [];
  const said = valued(block, "freeze");
  const slots = (why: string) => ({ written: textIn(said), layers, why });
  if (still === 0) return [freezeLayers(said.span, slots("is less than one layer: nothing is frozen"))];
  if (tuning.adapters !== null) {
    const related = [{ message: "the adapters", span: tuning.adapters.span }];
    const why = "freezes all of them, which leaves no layer for an adapter: nothing is trained";
    return [freezeLayers(said.span, slots(why), { severity: "error", related })];
  }
  const why = "freezes all of them: only tables, the last norm and the head are trained";
  return [freezeLayers(said.span, slots(why), { severity: "info" })];
}
