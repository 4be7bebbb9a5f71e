/** A stage as it would be with an engine that nobody named: what is advised is what that engine is asked for then. */
import type { Engine } from "../../engines/engine.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { candidatesOf, unfit } from "./candidates.ts";
import type { LaidStage } from "./laid-stage.ts";
import { wrongWith } from "./wrong-with.ts";

/** A stage with one of the engines that it may have. */
export interface Tried {
  readonly stage: LaidStage;
  readonly engine: Engine;
}

/** `null` where the engine has nothing for its model, its layout or what it trains. */
export function namedWith(stage: LaidStage, engine: Engine, cluster: ClusterSpec, model: SizedModel): Tried | null {
  if (stage.tuning !== undefined && engine.capabilities.trainsWhole === true) return null;
  const written = named(stage, engine);
  const [released] = candidatesOf(written);
  if (released === undefined || unfit(released, model, cluster) !== null) return null;
  return wrongWith(written, cluster, model).length > 0 ? null : { stage: written, engine: released };
}

export function named(stage: LaidStage, { name }: Engine): LaidStage {
  const { span } = stage;
  return { ...stage, engine: { value: name, span, origin: { kind: "written", span, layer: "file" } } };
}
