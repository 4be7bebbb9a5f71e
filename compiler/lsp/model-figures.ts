/** The shape that a model gets: as the stage that trains it has it, else sized by itself. */
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Compilation } from "../compile.ts";
import { modelRequest } from "../passes/resolve/model.ts";
import { size } from "../passes/size.ts";
import type { SizedModel } from "../plan.ts";

export function modelFigures({ pipeline, plan }: Compilation, block: Instance): SizedModel | null {
  for (const step of pipeline.steps) {
    if (step.kind !== "stage" || step.model.name !== block.name) continue;
    const stage = plan.stages.find(({ name }) => name === step.name);
    if (stage !== undefined) return stage.model;
  }
  const request = modelRequest(block, null);
  return request === null ? null : size(request).model;
}
