import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { impossiblePins, wrongWorld } from "./impossible.ts";
import type { LaidStage } from "./laid-stage.ts";
import { wrongDetails } from "./wrong-details.ts";

/** What a stage says that none of the engines that it may have does. */
export function wrongWith(stage: LaidStage, cluster: ClusterSpec, model: SizedModel): readonly Diagnostic[] {
  const { details = {} } = stage;
  const detailed = Object.keys(details).length === 0 ? [] : wrongDetails(stage, model);
  return [...impossiblePins(stage), ...wrongWorld(stage, cluster), ...detailed];
}
