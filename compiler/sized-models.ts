/** Models with their shapes, whether a stage trains them or not. */
import type { Instance } from "../dsl/eval/blocks/instance.ts";
import { isPresent } from "../dsl/eval/declarations/lookup.ts";
import type { Compilation } from "./compile.ts";
import { modelRequest } from "./passes/resolve/model.ts";
import { size } from "./passes/size.ts";
import type { SizedModel } from "./plan.ts";

/** The shape that a model gets: as the stage that trains it has it, else sized by itself. */
export function modelFigures({ pipeline, plan }: Compilation, block: Instance): SizedModel | null {
  for (const step of pipeline.steps) {
    if (step.kind !== "stage" || step.model.name !== block.name) continue;
    const stage = plan.stages.find(({ name }) => name === step.name);
    if (stage !== undefined) return stage.model;
  }
  const request = modelRequest(block, null);
  return request === null ? null : size(request).model;
}

/** What the file itself declares, by name. */
export function modelsOf(compilation: Compilation): readonly { readonly name: string; readonly model: SizedModel }[] {
  const { blocks, root } = compilation.program;
  return blocks
    .filter((block) => block.kind.name === "model" && !block.abstract && block.span.source === root.file.source)
    .filter(isPresent)
    .flatMap((block) => {
      const model = modelFigures(compilation, block);
      return model === null ? [] : [{ name: block.name ?? "model", model }];
    });
}
