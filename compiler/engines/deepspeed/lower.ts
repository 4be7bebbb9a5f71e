import type { StageStep } from "../../pipeline.ts";
import type { StagePlan } from "../../plan.ts";
import type { LoweredFile } from "../engine.ts";
import { json, trainConfig } from "../trainer.ts";
import { derivedConfig } from "./config.ts";
import { merge } from "./merge.ts";

export function lower(stage: StageStep, plan: StagePlan): LoweredFile[] {
  const folder = `stages/${stage.name}`;
  return [
    { path: `${folder}/trainer.json`, text: json(trainConfig(stage, plan, "deepspeed.json")) },
    { path: `${folder}/deepspeed.json`, text: json(merge(derivedConfig(stage, plan), stage.raw)) },
  ];
}
