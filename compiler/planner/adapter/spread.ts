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
  const { recompute, offload } = choice;
  const { share, unit } = recompute === "full" ? repeatedOf(details, model.layers, choice) : whole;
  const { stages, pieces, ends } = engine.pipelined === undefined ? cutOf(engine, model, choice) : whole;
  // A search makes hundreds: one literal with all names is far cheaper than parts spread into each other.
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
    shard: shardOver,
    second: secondOver,
    schedule: "1f1b",
    recompute,
    share,
    unit,
    modules: recompute === "selective" ? (choice.modules ?? details.modules) : undefined,
    stages,
    pieces,
    ends,
    offload: offload === "all" ? "parameters" : offload,
    moved: offload === "activations" ? offloadedLayers(details, model.layers) / model.layers : undefined,
  };
}

function repeatedOf(
  details: Details,
  layers: number,
  { repeats, pipeline_parallel: pipeline, virtual_pipeline: chunks }: Choice,
): Pick<Layout, "share" | "unit"> {
  return repeated(repeats === undefined ? details : { block: repeats }, layers, { pipeline, chunks });
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

/** A pipeline that nobody cuts, and layers of which as many run again as the kind says. */
const whole: Cut & Pick<Layout, "share" | "unit"> = {};

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
