/** Seconds of one evaluation: forward passes over part of the validation split. */
import { flopsPerToken } from "../../models/measure.ts";
import type { EvaluationLength } from "../../pipeline.ts";
import type { TimePlan } from "../../plan.ts";
import { unspentOf } from "../adapter/ground.ts";
import { layoutOf } from "../adapter/spread.ts";
import { isRecomputed } from "../physics/recomputed.ts";
import { batchesOf } from "../evaluation-batches.ts";
import { replicasOf, type Choice, type Setting } from "../setting.ts";

export interface Measured {
  readonly setting: Setting;
  readonly choice: Choice;
  readonly time: TimePlan;
}

const recurring = ["compute", "host_launches", "tensor_comm", "expert_comm", "context_comm", "pipeline_comm"];

/**
 * `length`: as the stage says it, or `null` for all of the split, whose tokens are `split`. `null` where nobody said how many those are.
 * A batch is one micro-batch of each replica, but where the engine's iterations of evaluation are whole global batches.
 */
export function evaluationSeconds(
  { setting, choice, time }: Measured,
  length: EvaluationLength | null,
  split: number | null,
): number | null {
  const { engine, cluster, sequence } = setting;
  const once = forwardShare(setting, choice) * passing(time, choice);
  if (engine.evaluates !== undefined) {
    const bubble = forwardShare(setting, choice) * (time.parts["pipeline_bubble"] ?? 0);
    return (batchesOf(length, setting.globalBatch) ?? engine.evaluates.iterations) * (once + bubble);
  }
  const samples = choice.micro_batch * replicasOf(cluster, choice);
  const all = split === null ? null : Math.ceil(split / sequence / samples);
  const batches = batchesOf(length, samples);
  const calls = batches === null ? all : Math.min(batches, all ?? Infinity);
  // One micro-batch alone passes the stages of a pipeline one after the other.
  return calls === null ? null : (calls * choice.pipeline_parallel * once) / choice.accumulation;
}

/** Seconds of a step that every micro-batch needs anew, forward and backward. */
function passing({ parts }: TimePlan, { zero_stage, offload }: Choice): number {
  const names = [...recurring, ...(zero_stage === 3 ? ["data_comm"] : []), ...(offload === "all" ? ["offload"] : [])];
  return names.reduce((sum, name) => sum + (parts[name] ?? 0), 0);
}

/** The forward pass among all that is computed: a third, less where layers are recomputed, more where weights are frozen. */
function forwardShare(setting: Setting, choice: Choice): number {
  const { family, model, sequence } = setting;
  const layout = layoutOf(setting, choice);
  // What runs again without products takes none of the time.
  const isWhole = choice.recompute !== "selective" || isRecomputed(layout, "core_attn");
  const recompute = isWhole ? choice.recompute : "none";
  const { model: counted, hardware } = flopsPerToken(family, model, sequence, recompute, layout.share);
  return counted / 3 / (hardware - unspentOf(setting));
}
