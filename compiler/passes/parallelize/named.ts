/** A stage as it would be with an engine that nobody named: what is advised is what that engine is asked for then. */
import type { Engine } from "../../engines/engine.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { askedOf } from "./asked.ts";
import { unfit } from "./candidates.ts";
import type { LaidStage } from "./laid-stage.ts";

/** `null` where the engine has nothing for its model, its layout or what it trains. */
export function namedWith(
  stage: LaidStage,
  { name, capabilities }: Engine,
  cluster: ClusterSpec,
  model: SizedModel,
): { readonly stage: LaidStage; readonly engine: Engine } | null {
  if (stage.tuning !== undefined && capabilities.trainsWhole === true) return null;
  const { span } = stage;
  const named = {
    ...stage,
    engine: { value: name, span, origin: { kind: "written", span, layer: "file" } },
  } as const;
  const { candidates, wrong } = askedOf(named, cluster, model);
  const [engine] = candidates;
  if (engine === undefined || wrong.length > 0 || unfit(engine, model, cluster) !== null) return null;
  return { stage: named, engine };
}
