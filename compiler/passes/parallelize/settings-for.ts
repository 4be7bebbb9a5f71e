/** The engines that a stage may have if its layout said other things. */
import type { ClusterSpec, EngineName, Settings } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import type { Setting } from "../../planner/setting.ts";
import { askedOf } from "./asked.ts";
import type { LaidStage } from "./laid-stage.ts";
import { settingOf } from "./setting-of.ts";

/** A stage where it is to run. `without`: engines that are out of the question. */
export interface Asked {
  readonly stage: LaidStage;
  readonly cluster: ClusterSpec;
  readonly model: SizedModel;
  readonly globalBatch: number;
  readonly without?: readonly EngineName[];
}

export type SettingsFor = (layout: Settings) => readonly Setting[];

export function settingsFor({ stage, cluster, model, globalBatch, without = [] }: Asked): SettingsFor {
  return (layout) =>
    askedOf(laidAs(stage, layout), cluster, model)
      .tried.filter(({ engine }) => !without.includes(engine.name))
      .map(({ stage: as, engine }) => settingOf(as, cluster, model, globalBatch, engine));
}

/** What is said beside a word goes with it. */
export function laidAs({ details = {}, ...rest }: LaidStage, layout: Settings): LaidStage {
  const { offloaded, ...repeats } = details;
  return {
    ...rest,
    layout,
    details: {
      ...(layout.given.has("recompute") ? repeats : {}),
      ...(layout.given.has("offload") && offloaded !== undefined ? { offloaded } : {}),
    },
  };
}
