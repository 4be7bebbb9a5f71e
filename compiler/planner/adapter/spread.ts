/** A choice as the physics reads it. */
import { offloadedLayers, repeated, type Details } from "../details.ts";
import type { Batch, Layout } from "../physics/layout.ts";
import { isPattern, pipelineCut } from "../pipeline-cut.ts";
import { replicasOf, type Choice, type Setting } from "../setting.ts";

export function layoutOf(setting: Setting, choice: Choice): Layout {
  const { engine, raw, model } = setting;
  const layout = chosenLayout(setting, choice);
  return raw === undefined || engine.relaid === undefined || isEmpty(raw)
    ? layout
    : engine.relaid(layout, raw, model.layers);
}

function isEmpty(raw: object): boolean {
  for (const _ in raw) return false;
  return true;
}

function chosenLayout(
  { cluster, model, engine, shardOver, secondOver, details = {} }: Setting,
  choice: Choice,
): Layout {
  return {
    tensor: choice.tensor_parallel,
    pipeline: choice.pipeline_parallel,
    chunks: choice.virtual_pipeline,
    context: choice.context_parallel,
    expert: choice.expert_parallel,
    expert_tensor: choice.expert_tensor_parallel,
    data: replicasOf(cluster, choice),
    sequence_parallel: choice.sequence_parallel,
    zero: choice.zero_stage,
    ...(shardOver === undefined ? {} : { shard: shardOver }),
    ...(secondOver === undefined ? {} : { second: secondOver }),
    schedule: "1f1b",
    recompute: choice.recompute,
    ...(engine.pipelined === undefined ? cutOf(engine, model, choice) : {}),
    offload: choice.offload === "all" ? "parameters" : choice.offload,
    ...detailed(details, model.layers, choice),
  };
}

function detailed(
  details: Details,
  layers: number,
  {
    recompute,
    repeats,
    modules = details.modules,
    offload,
    pipeline_parallel: pipeline,
    virtual_pipeline: chunks,
  }: Choice,
): Partial<Layout> {
  const said = repeats === undefined ? details : { block: repeats };
  return {
    ...(recompute === "full" ? repeated(said, layers, { pipeline, chunks }) : {}),
    ...(recompute === "selective" && modules !== undefined ? { modules } : {}),
    ...(offload === "activations" ? { moved: offloadedLayers(details, layers) / layers } : {}),
  };
}

type Cut = Pick<Layout, "stages" | "pieces" | "ends">;

/** Thousands of layouts share a few cuts, some of thousands of stages. */
const known = new WeakMap<Setting["engine"], Map<string, Cut>>();

function cutOf(engine: Setting["engine"], model: Setting["model"], choice: Choice): Cut {
  const { pipeline_parallel, virtual_pipeline } = choice;
  if (pipeline_parallel * virtual_pipeline === 1) return whole;
  const key = `${model.layers} ${isPattern(model)} ${pipeline_parallel} ${virtual_pipeline}`;
  let cuts = known.get(engine);
  if (cuts === undefined) known.set(engine, (cuts = new Map()));
  let found = cuts.get(key);
  if (found === undefined) cuts.set(key, (found = madeCut(engine, model, choice)));
  return found;
}

const whole: Cut = {};

function madeCut(
  { cuts }: Setting["engine"],
  model: Setting["model"],
  { pipeline_parallel, virtual_pipeline }: Choice,
): Cut {
  if (model.layers % (pipeline_parallel * virtual_pipeline) === 0) return {};
  const cut = pipelineCut(model, pipeline_parallel, virtual_pipeline, cuts);
  switch (cut?.kind) {
    case "tables":
      return { ends: cut };
    case "ends":
      return { stages: [cut.first, ...Array.from({ length: pipeline_parallel - 2 }, () => cut.middle), cut.last] };
    case "pieces":
      return { pieces: cut.pieces };
    default:
      return {};
  }
}

export function batchOf({ sequence }: Setting, choice: Choice): Batch {
  return { micro: choice.micro_batch, count: choice.accumulation, sequence };
}
