/** Engines that nobody named, and with which the same stage would take less time on the same devices. */
import { engines } from "../../engines/index.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { bestWithin } from "../../planner/search/find.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { unfit } from "./candidates.ts";
import { settingOf } from "./setting-of.ts";
import type { LaidStage } from "./laid-stage.ts";

/** Less of a gain is not worth another program, and within what estimates of two engines err apart. */
const worth = 0.1;

/** `chosen`: the name of the engine that was taken, and the seconds of its step. Its own words, where the stage has any, hold no other. */
export function fasterEngines(
  stage: LaidStage,
  cluster: ClusterSpec,
  model: SizedModel,
  globalBatch: number,
  chosen: { readonly name: string; readonly step: number },
): readonly Evaluated[] {
  const isBound = Object.keys(stage.raw).length + Object.keys(stage.rawMegatron).length > 0;
  if (stage.engine !== null || isBound || cluster.device.kind !== "gpu") return [];
  return Object.values(engines).flatMap((engine) => {
    if (engine.name === chosen.name || unfit(engine, model, cluster) !== null) return [];
    const setting = settingOf(stage, cluster, model, globalBatch, engine);
    const best = bestWithin(setting, stage.layout, (1 - worth) * chosen.step);
    return best === null ? [] : [best];
  });
}
