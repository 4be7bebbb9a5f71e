/** Engines that nobody named, and with which the same stage would take less time on the same devices. */
import { engines } from "../../engines/index.ts";
import { trainsWith, type Engine } from "../../engines/engine.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { wordedFor } from "./candidates.ts";
import { namedWith } from "./named.ts";
import { bestAmong, problemsOf } from "./problems.ts";
import type { LaidStage } from "./laid-stage.ts";

/** Less of a gain is not worth another program, and within what estimates of two engines err apart. */
const worth = 0.1;

/** `chosen`: the engine that was taken, and the seconds of its step. A stage's words for one engine hold no other. */
export function fasterEngines(
  stage: LaidStage,
  cluster: ClusterSpec,
  model: SizedModel,
  globalBatch: number,
  chosen: { readonly engine: Engine; readonly step: number },
): readonly Evaluated[] {
  if (stage.engine !== null || wordedFor(stage) !== null || cluster.device.kind !== "gpu") return [];
  const faster = Object.values(engines).flatMap((engine) => {
    const isOther = engine !== chosen.engine && trainsWith(engine, stage.optimizer.name);
    const named = !isOther ? null : namedWith(stage, engine, cluster, model);
    if (named === null) return [];
    const problems = problemsOf(named.stage, cluster, model, globalBatch, named.engine);
    const best = bestAmong(problems, (1 - worth) * chosen.step);
    return best === null ? [] : [best];
  });
  return faster.sort((a, b) => a.time.step - b.time.step);
}
