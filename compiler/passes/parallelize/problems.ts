/** The spaces between which a plan of one engine is chosen: one where ranks shard a model as they are told, or one for each size of their groups. */
import type { Engine } from "../../engines/engine.ts";
import type { Bound, ClusterSpec, Settings } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { divisors } from "../../planner/divisors.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { bestWithin, findAmong, findWithin, type Problem } from "../../planner/search/find.ts";
import { settingOf } from "./setting-of.ts";
import type { LaidStage } from "./laid-stage.ts";

/**
 * torch shards over all ranks or over groups of them that hold a copy each. Nodes are kept whole: fewer ranks than a node has would
 * hold more and gather no faster.
 */
export function problemsOf(
  stage: LaidStage,
  cluster: ClusterSpec,
  model: SizedModel,
  globalBatch: number,
  engine: Engine,
): readonly Problem[] {
  const setting = settingOf(stage, cluster, model, globalBatch, engine);
  const plain = { setting, layout: stage.layout };
  if (stage.engine?.value !== "torch" || stage.sharding.over !== null || cluster.device.kind !== "gpu")
    return [plain];
  const layout = sharded(stage.layout);
  const groups = divisors(cluster.nodes).filter((nodes) => nodes < cluster.nodes);
  return [
    plain,
    ...groups
      .map((nodes) => nodes * cluster.gpusPerNode)
      .filter((ranks) => ranks > 1)
      .map((ranks) => ({ setting: { ...setting, shardOver: ranks }, layout })),
  ];
}

/** Without the stages that leave every rank a whole model: groups are all the same to them. */
function sharded(layout: Settings): Settings {
  const { min = null, ...rest }: Bound = layout.bounds.get("zero_stage") ?? {
    min: null,
    max: null,
    oneOf: null,
    spans: [],
  };
  const bound = { ...rest, min: Math.max(least, min ?? least) };
  return { ...layout, bounds: new Map([...layout.bounds, ["zero_stage", bound]]) };
}

const least = 2;

/** What several spaces have within so many seconds, and whether some layout fits, be it slower. */
export function withinAmong(problems: readonly Problem[], seconds: number): ReturnType<typeof findWithin> {
  const [only, ...more] = problems;
  if (only !== undefined && more.length === 0) return findWithin(only, seconds);
  const [best] = findAmong(problems).ranked;
  if (best?.fits !== true) return { best: null, fits: false };
  return { best: best.time.step <= seconds ? best : null, fits: true };
}

/** The same, where nobody asks whether a slower one fits. */
export function bestAmong(problems: readonly Problem[], seconds: number): Evaluated | null {
  const [only, ...more] = problems;
  return only !== undefined && more.length === 0 ? bestWithin(only, seconds) : withinAmong(problems, seconds).best;
}
