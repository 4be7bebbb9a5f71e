import type { ClusterSpec, StageStep } from "../pipeline.ts";
import type { StagePlan } from "../plan.ts";
import type { LoweredFile } from "./engine.ts";
import { engines } from "./index.ts";

/** The files that a stage's engine reads, relative to the bundle. */
export function lowerStage(stage: StageStep, plan: StagePlan, cluster: ClusterSpec): readonly LoweredFile[] {
  return engines[plan.engine].lower(stage, plan, cluster);
}
