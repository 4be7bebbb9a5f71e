import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Origin } from "../../dsl/eval/origin.ts";
import { sizeContext } from "../diagnostics/size.ts";
import { engines } from "../engines/index.ts";
import { families } from "../models/index.ts";
import { flopsPerToken } from "../models/measure.ts";
import type { ClusterSpec, Pipeline, StageStep } from "../pipeline.ts";
import type { Layout, Plan, StagePlan } from "../plan.ts";
import type { Evaluated } from "../planner/search/evaluate.ts";
import { groundOf, unspentOf } from "../planner/adapter/ground.ts";
import { offloadedLayers } from "../planner/details.ts";
import { layoutOf as spreadOf } from "../planner/adapter/spread.ts";
import { paddedRows } from "../planner/adapter/padded-rows.ts";
import { totalOf } from "../planner/run/total.ts";
import { replicasOf } from "../planner/setting.ts";
import { alternativesOf, foreignAlternative } from "./parallelize/alternatives.ts";
import { batchOf } from "./parallelize/batch.ts";
import { sizedBatch } from "./parallelize/batch-size.ts";
import { choose } from "./parallelize/choose.ts";
import { conflictsBeside } from "./parallelize/conflicts-beside.ts";
import { fasterEngines } from "./parallelize/faster-engines.ts";
import { hostUnknown } from "./parallelize/host-unknown.ts";
import { lengthOf } from "./parallelize/length.ts";
import { originsOf } from "./parallelize/origins.ts";
import { splitOf } from "./parallelize/split.ts";
import { remember } from "./remember.ts";
import { size } from "./size.ts";

export interface Planned {
  readonly plan: Plan;
  readonly diagnostics: readonly Diagnostic[];
}

/** Sizes the model of each stage, fits it to the cluster of the launch, and derives its steps, hours and cost. */
export function plan(pipeline: Pipeline): Planned {
  const stages: StagePlan[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  for (const stage of pipeline.steps.filter((step) => step.kind === "stage")) {
    const planned = planStage(stage, pipeline);
    if (planned.plan !== null) stages.push(planned.plan);
    for (const diagnostic of planned.diagnostics) {
      // Stages that share a model would each tell of its mistakes.
      const key = `${diagnostic.span.source.path}:${diagnostic.span.start}:${diagnostic.message}`;
      if (!seen.has(key)) diagnostics.push(diagnostic);
      seen.add(key);
    }
  }
  return { plan: { stages }, diagnostics };
}

/** A choice with nothing to say of the text is the same wherever the stage stands. */
const chosenOnce = remember(choose, ({ diagnostics }) => diagnostics.length === 0);

/** No text is said of these. */
const fasterOnce = remember(fasterEngines, () => true);

function planStage(
  written: StageStep,
  pipeline: Pipeline,
): { plan: StagePlan | null; diagnostics: readonly Diagnostic[] } {
  const { cluster } = pipeline.launch;
  const sized = size(written.model);
  if (written.batch.value.unit === "auto" && sized.model === null)
    return { plan: null, diagnostics: sized.diagnostics };
  const stage =
    written.batch.value.unit === "auto" && sized.model !== null
      ? { ...written, batch: sizedBatch(written, sized.model, pipeline, cluster) }
      : written;
  const batch = batchOf(stage, cluster);
  const diagnostics: Diagnostic[] = [...sized.diagnostics, ...batch.diagnostics];
  if (sized.model !== null && stage.sequence.value > sized.model.context) {
    const slots = { sequence: stage.sequence.value, context: sized.model.context };
    diagnostics.push(sizeContext(stage.sequence.span, slots, { valid: [`<= ${sized.model.context}`] }));
  }
  const length = batch.samples === null ? null : lengthOf(stage, pipeline, batch.samples);
  diagnostics.push(...(length?.diagnostics ?? []));
  if (sized.model !== null && batch.samples === null)
    diagnostics.push(...conflictsBeside(stage, cluster, sized.model));
  if (sized.model === null || batch.samples === null) return { plan: null, diagnostics };

  const chosen = chosenOnce(stage, cluster, sized.model, batch.samples);
  diagnostics.push(...chosen.diagnostics);
  if (chosen.best === null || length === null || length.steps === null) return { plan: null, diagnostics };

  const { best } = chosen;
  const { engine } = best.setting;
  const unspent = unspentOf(best.setting);
  const { share } = spreadOf(best.setting, best.choice);
  const flops = flopsPerToken(
    families[sized.model.family],
    sized.model,
    stage.sequence.value,
    best.choice.recompute,
    share,
  );
  const model = {
    ...sized.model,
    flops_per_token: { model: flops.model - unspent, hardware: flops.hardware - unspent },
  };
  const result: StagePlan = {
    name: stage.name,
    engine: engine.name,
    model,
    layout: layoutOf(best),
    batch: batchPlanOf(best),
    memory: best.memory,
    time: best.time,
    total: totalOf(best, stage, length.steps, splitOf(stage, pipeline)),
    ...(stage.tuning === undefined ? {} : { trained: groundOf(best.setting).trained }),
    alternatives: alternativesOf(best, chosen.others, layoutOf, batchPlanOf),
    origins: {},
  };
  const origins: Record<string, Origin> = originsOf(
    stage,
    pipeline,
    sized.origins,
    best,
    length.rule,
    chosen.reasons,
  );
  const complete = { ...result, origins };
  if (best.fits) diagnostics.push(...hostUnknown(stage, complete, cluster));
  for (const rule of engines[engine.name].rules) diagnostics.push(...rule.check(stage, complete, cluster));
  const taken = { name: engine.name, step: best.time.step };
  const faster = best.fits ? fasterOnce(stage, cluster, sized.model, batch.samples, taken) : [];
  const others = faster
    .filter((other) => takes(other, stage, complete, cluster))
    .map((other) => foreignAlternative(best, other, layoutOf, batchPlanOf));
  return { plan: { ...complete, alternatives: [...others, ...complete.alternatives] }, diagnostics };
}

/** Would the engine start the stage with this layout? */
function takes(other: Evaluated, stage: StageStep, plan: StagePlan, cluster: ClusterSpec): boolean {
  const { name, rules } = other.setting.engine;
  const { memory, time } = other;
  const planned = { ...plan, engine: name, layout: layoutOf(other), batch: batchPlanOf(other), memory, time };
  return rules.every((rule) => rule.check(stage, planned, cluster).every(({ severity }) => severity !== "error"));
}

function layoutOf({ setting, choice }: Evaluated): Layout {
  const { modules, block, uniform } = setting.details ?? {};
  const { nodes, gpusPerNode } = setting.cluster;
  const padded = paddedRows(setting, choice);
  return {
    world: nodes * gpusPerNode,
    nodes,
    gpus_per_node: gpusPerNode,
    data_parallel: replicasOf(setting.cluster, choice),
    tensor_parallel: choice.tensor_parallel,
    pipeline_parallel: choice.pipeline_parallel,
    virtual_pipeline: choice.virtual_pipeline,
    context_parallel: choice.context_parallel,
    expert_parallel: choice.expert_parallel,
    sequence_parallel: choice.sequence_parallel,
    zero_stage: choice.zero_stage,
    recompute: choice.recompute,
    ...(choice.recompute === "selective" && modules !== undefined ? { recompute_modules: modules } : {}),
    ...(choice.recompute === "full" && block !== undefined ? { recompute_block: block } : {}),
    ...(choice.recompute === "full" && uniform !== undefined ? { recompute_uniform: uniform } : {}),
    offload: choice.offload,
    ...(choice.offload === "activations"
      ? { offload_layers: offloadedLayers(setting.details ?? {}, setting.model.layers) }
      : {}),
    ...(padded === setting.model.vocab ? {} : { padded_vocab: padded }),
  };
}

function batchPlanOf({ setting, choice }: Evaluated): StagePlan["batch"] {
  return {
    micro_batch: choice.micro_batch,
    accumulation: choice.accumulation,
    global_batch: setting.globalBatch,
    sequence: setting.sequence,
    tokens_per_step: setting.globalBatch * setting.sequence,
  };
}
