import type { StageStep } from "../../pipeline.ts";
import type { StagePlan } from "../../plan.ts";
import type { LoweredFile } from "../engine.ts";
import { json, trainConfig } from "../trainer.ts";

export function lower(stage: StageStep, plan: StagePlan): LoweredFile[] {
  return [{ path: `stages/${stage.name}/trainer.json`, text: json(trainConfig(stage, plan, null)) }];
}
