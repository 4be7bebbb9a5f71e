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
] as const;

export type Split = (typeof split)[number];

/** The engine that was written, or those that can do what the layout asks for, plainest first. */
export function engineChoice(stage: LaidStage): { candidates: readonly Engine[]; reason: string } {
  if (stage.engine !== null) return { candidates: [asReleased(engines[stage.engine.value], stage)], reason: "" };
  if (Object.keys(stage.raw).length > 0) return { candidates: [engines.deepspeed], reason: "raw deepspeed is given" };
  if (Object.keys(stage.rawMegatron).length > 0)
    return { candidates: [engines.megatron], reason: "raw megatron is given" };
  const asked = split.filter((property) => leastOf(stage, property) > 1);
  const able = Object.values(engines).filter(({ capabilities }) => asked.every((p) => capabilities.parallel[p] > 1));
  if (asked.length > 0)
    return {
      candidates: partsFirst(able, asked),
      reason: `the layout speaks of ${asked.join(" and ")}`,
    };
  const names = ["zero_stage", "offload"].filter((p) => stage.layout.given.has(p) || stage.layout.bounds.has(p));
  if (names.length > 0)
    return { candidates: [engines.deepspeed], reason: `the layout speaks of ${names.join(" and ")}` };
  // One that splits the model runs its own programs: it is taken where somebody asks for it.
  return {
    candidates: Object.values(engines)
      .filter((engine) => !splitsModel(engine))
      .map((engine) => (engine === engines.torch ? whole(engine) : engine)),
    reason: "the plainest engine whose plan fits",
  };
}

/** As the release that the stage names has it. */
function asReleased(engine: Engine, stage: LaidStage): Engine {
  const without = Object.entries(engine.released?.(stage) ?? {});
  if (without.length === 0) return engine;
  return Object.create(engine, Object.fromEntries(without.map(([name, value]) => [name, { value }]))) as Engine;
}

/** torch as it is where nobody names it: every rank holds the whole model, and DeepSpeed shards. */
function whole(engine: Engine): Engine {
  // A copy would load the engine's rules and its lowering.
  return Object.create(engine, {
    capabilities: { value: { ...engine.capabilities, zero_stages: [0] } },
  }) as Engine;
}

/** The smallest size of a split that the layout lets stand. */
export function leastOf({ layout }: LaidStage, property: Split): number {
  const pin = layout.given.get(property);
  if (pin !== undefined) return Number(pin.value);
  const bound = layout.bounds.get(property);
  return bound?.oneOf?.reduce<number>((low, v) => Math.min(low, Number(v)), Infinity) ?? bound?.min ?? 1;
}

/** Where a split is a form of its own, no other goes with it, and it comes after one that is a split among others. */
function partsFirst(able: readonly Engine[], asked: readonly Split[]): readonly Engine[] {
  const isForm = ({ pipelined, sharedExperts }: Engine): boolean =>
    (asked.includes("pipeline_parallel") && pipelined !== undefined) ||
    (asked.includes("expert_parallel") && sharedExperts !== undefined);
  const parts = able.filter((engine) => !isForm(engine));
  return asked.length > 1 ? parts : [...parts, ...able.filter(isForm)];
}

export const isPipelined = ({ pipelined }: Engine): boolean => pipelined !== undefined;

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
  if ((engine.inexpressible?.(model).length ?? 0) > 0)
    return `${name}, which splits models so, has none of family ${model.family}`;
  return device.kind === "gpu" ? null : `${name}, which splits models so, trains on GPUs only`;
}
