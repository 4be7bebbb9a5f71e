/** Which engines a stage may have. */
import { engines } from "../../engines/index.ts";
import { splitsModel, type Engine } from "../../engines/engine.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import type { LaidStage } from "./laid-stage.ts";

/** Words of a layout that split the model, or what passes through it. */
export const split = [
  "tensor_parallel",
  "pipeline_parallel",
  "virtual_pipeline",
  "context_parallel",
  "expert_parallel",
  "expert_tensor_parallel",
] as const;

export type Split = (typeof split)[number];

/** The engine that was written, or whose words were, or every one that has the splits that the layout asks for, plainest first. */
export function candidatesOf(stage: LaidStage): readonly Engine[] {
  if (stage.engine !== null) return [asReleased(engines[stage.engine.value], stage)];
  const worded = wordedFor(stage);
  if (worded !== null) return [worded];
  const asked = split.filter((property) => leastOf(stage, property) > 1);
  return Object.values(engines).filter(({ capabilities }) => asked.every((p) => capabilities.parallel[p] > 1));
}

/** The engine whose own words a stage has that names none. */
export function wordedFor({ raw, rawMegatron }: LaidStage): Engine | null {
  if (Object.keys(raw).length > 0) return engines.deepspeed;
  return Object.keys(rawMegatron).length > 0 ? engines.megatron : null;
}

/** As the release that the stage names has it. */
function asReleased(engine: Engine, stage: LaidStage): Engine {
  const without = Object.entries(engine.released?.(stage) ?? {});
  if (without.length === 0) return engine;
  return Object.create(engine, Object.fromEntries(without.map(([name, value]) => [name, { value }]))) as Engine;
}

/** The smallest size of a split that the layout lets stand. */
export function leastOf({ layout }: Pick<LaidStage, "layout">, property: Split): number {
  const pin = layout.given.get(property);
  if (pin !== undefined) return Number(pin.value);
  const bound = layout.bounds.get(property);
  return bound?.oneOf?.reduce<number>((low, v) => Math.min(low, Number(v)), Infinity) ?? bound?.min ?? 1;
}

/** Why an engine that nobody named is not tried. */
export function unable(engine: Engine, stage: LaidStage, model: SizedModel, cluster: ClusterSpec): string | null {
  const run = { ...stage, model };
  const asks = (property: Split): boolean => leastOf(stage, property) > 1;
  const uncut = asks("pipeline_parallel") ? (engine.pipelined?.uncut(run) ?? []) : [];
  const unfound = asks("expert_parallel") ? (engine.sharedExperts?.unfound(run) ?? []) : [];
  return uncut[0] ?? unfound[0] ?? unfit(engine, model, cluster);
}

/** Why an engine that splits models has nothing for this one here. */
export function unfit(engine: Engine, model: SizedModel, { device }: ClusterSpec): string | null {
  if (!splitsModel(engine)) return null;
  const { name } = engine;
  if (device.kind !== "gpu") return `${name}, which can split models this way, trains only on GPUs`;
  return (engine.inexpressible?.(model).length ?? 0) > 0
    ? `${name}, which can split models this way, does not support family ${model.family}`
    : null;
}
