/** From a stage's pins and bounds to the best plan, or to why there is none. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { engines } from "../../engines/index.ts";
import type { Engine } from "../../engines/engine.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { findAmong } from "../../planner/search/find.ts";
import type { Setting } from "../../planner/setting.ts";
import { askedOf } from "./asked.ts";
import { isPipelined, unfit } from "./candidates.ts";
import { conflictsOf } from "./conflicts.ts";
import { leastThatHolds } from "./least.ts";
import { leversOf } from "./levers.ts";
import { namedWith } from "./named.ts";
import { bestAmong, problemsOf, withinAmong } from "./problems.ts";
import { settingOf } from "./setting-of.ts";
import { tooLarge } from "./too-large.ts";
import type { LaidStage } from "./laid-stage.ts";

export interface Chosen {
  readonly best: Evaluated | null;
  readonly others: readonly Evaluated[];
  /** Why this engine: shown as its origin. */
  readonly reasons: { readonly engine: string; readonly tried: number };
  readonly diagnostics: readonly Diagnostic[];
}

export function choose(stage: LaidStage, cluster: ClusterSpec, model: SizedModel, globalBatch: number): Chosen {
  const { candidates, reason, wrong } = askedOf(stage, cluster, model);
  const none = { best: null, others: [], reasons: { engine: reason, tried: 0 } };
  if (wrong.length > 0) return { ...none, diagnostics: wrong };

  let leanest: readonly Evaluated[] = [];
  let tried = 0;
  const settingFor = (engine: Engine): Setting => settingOf(stage, cluster, model, globalBatch, engine);
  for (const engine of candidates) {
    const { ranked, considered } = findAmong(problemsOf(stage, cluster, model, globalBatch, engine));
    tried += considered;
    const [best, ...others] = ranked;
    if (best === undefined) continue;
    if (best.fits) return { best, others, reasons: { engine: reason, tried }, diagnostics: [] };
    leanest = ranked;
  }
  const [best, ...others] = leanest;
  const last = candidates.findLast((engine) => !isPipelined(engine)) ?? candidates.at(-1);
  if (best === undefined)
    return { ...none, diagnostics: last === undefined ? [] : conflictsOf(stage, settingFor(last)) };
  // Who names no engine may take one that splits the model.
  const larger = stage.engine === null ? [...new Set([...candidates, engines.megatron])] : candidates;
  const able = larger.filter(
    (engine) =>
      unfit(engine, model, cluster) === null &&
      (candidates.includes(engine) || namedWith(stage, engine, cluster, model) !== null),
  );
  const least = (isTold: boolean): string | null => leastThatHolds(able.map(settingFor), stage.layout, isTold);
  const foreign = Object.values(engines).filter(
    (engine) => engine.name !== best.setting.engine.name && !candidates.some(({ name }) => name === engine.name),
  );
  const levers = () =>
    leversOf(stage, [
      best.setting,
      ...foreign.filter((engine) => namedWith(stage, engine, cluster, model) !== null).map(settingFor),
    ]);
  return { best, others, reasons: { engine: reason, tried }, diagnostics: [tooLarge(stage, best, least, levers)] };
}

/** What `choose` would choose, or `null` where nothing fits or no step is within so many seconds. */
export function chooseWithin(
  stage: LaidStage,
  cluster: ClusterSpec,
  model: SizedModel,
  globalBatch: number,
  seconds: number,
): Evaluated | null {
  const { candidates, wrong } = askedOf(stage, cluster, model);
  if (wrong.length > 0) return null;
  const problems = candidates.map((engine) => problemsOf(stage, cluster, model, globalBatch, engine));
  const last = problems.pop();
  for (const each of problems) {
    const { best, fits } = withinAmong(each, seconds);
    if (fits) return best;
  }
  if (last === undefined) return null;
  return bestAmong(last, seconds);
}
