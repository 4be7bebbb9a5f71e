import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { spaceOf } from "../../planner/search/space.ts";
import { worldOf } from "../../planner/setting.ts";
import { askedOf } from "./asked.ts";
import { settingOf } from "./setting-of.ts";
import { speakerOf } from "./choose.ts";
import { conflictsOf, without } from "./conflicts.ts";
import type { LaidStage } from "./laid-stage.ts";
import type { Tried } from "./named.ts";

/** What the pins of a layout stand against whatever the batch, for one that cannot be shared out keeps them from being tried. */
export function conflictsBeside(stage: LaidStage, cluster: ClusterSpec, model: SizedModel): readonly Diagnostic[] {
  const layout = without(stage.layout, ["micro_batch"]);
  const rest = { ...stage, layout };
  const { tried, wrong } = askedOf(rest, cluster, model);
  if (wrong.length > 0) return wrong;
  // Whatever number of replicas and stages divides the ranks divides this batch.
  const globalBatch = worldOf(cluster) ** 2;
  const settingFor = (one: Tried) => settingOf(one.stage, cluster, model, globalBatch, one.engine);
  const settings = tried.map(settingFor);
  const speaker = speakerOf(rest, tried) ?? tried[0];
  const isPossible = settings.some((setting) => spaceOf(setting, layout).size > 0);
  return speaker === undefined || isPossible ? [] : conflictsOf(rest, settingFor(speaker));
}
