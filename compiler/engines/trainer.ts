/** What both engines hand to the training program: `stages/<name>/trainer.json`. */
import type { CheckpointConfig, ModelConfig, TrainConfig } from "../bundle/programs.ts";
import { builtBy } from "../models/build.ts";
import { families } from "../models/index.ts";
import { trainableOf } from "../models/measure.ts";
import type { StageStep } from "../pipeline.ts";
import type { SizedModel, StagePlan } from "../plan.ts";
import { batchesOf } from "../planner/evaluation-batches.ts";
import { periodSteps, scheduleSteps } from "../planner/schedule.ts";
import { trainerTuning } from "./trainer-tuning.ts";
import { wideOf } from "./wide.ts";

export function trainConfig(stage: StageStep, plan: StagePlan, deepspeed: string | null): TrainConfig {
  const { model, layout, batch, total, time } = plan;
  const { warmup, cooldown } = scheduleSteps(stage.schedule, total.steps, batch.tokens_per_step);
  const steps = (period: Parameters<typeof periodSteps>[0]): number =>
    periodSteps(period, batch.tokens_per_step, time.step);
  return {
    format: 1,
    step: stage.name,
    engine: deepspeed === null ? "torch" : "deepspeed",
    deepspeed,
    ...shardingOf(plan, deepspeed),
    ...trainerTuning(stage, plan),
    seed: stage.seed,
    determinism: stage.determinism,
    model: modelConfig(model),
    precision: wideOf(stage.precision.value),
    attention: stage.attention,
    recompute: layout.recompute === "none" ? "none" : "full",
    compile: stage.compile,
    world: layout.world,
    ...(layout.context_parallel === 1 ? {} : { context_parallel: layout.context_parallel }),
    ...(layout.expert_parallel === 1 ? {} : { expert_parallel: layout.expert_parallel }),
    ...(layout.pipeline_parallel === 1 ? {} : { pipeline_parallel: layout.pipeline_parallel }),
    batch: {
      micro_batch: batch.micro_batch,
      accumulation: batch.accumulation,
      global_batch: batch.global_batch,
      sequence: batch.sequence,
    },
    length: { steps: total.steps, tokens: total.tokens },
    optimizer: {
      name: stage.optimizer.name,
      lr: stage.optimizer.lr,
      betas: stage.optimizer.betas,
      eps: stage.optimizer.eps,
      weight_decay: stage.optimizer.weightDecay,
    },
    schedule: {
      name: stage.schedule.name,
      warmup_steps: warmup,
      final_ratio: stage.schedule.to,
      cooldown_steps: cooldown,
    },
    clip: stage.clip,
    eval:
      stage.eval === null
        ? null
        : {
            every_steps: steps(stage.eval.every),
            batches: batchesOf(stage.eval.length, batch.micro_batch * layout.data_parallel),
          },
    log: { every_steps: steps(stage.log.every) },
    checkpoint: checkpointConfig(stage, plan),
    resume: stage.resume,
    from_input: stage.from !== null || stage.weights !== undefined,
    ...(stage.weights === undefined ? {} : { weights: stage.weights }),
    expectations: stage.expectations,
    track: stage.track,
  };
}

/** A lone rank has nobody to share with. */
function shardingOf(
  { layout: { zero_stage, world, shard_over = world } }: StagePlan,
  deepspeed: string | null,
): Pick<TrainConfig, "sharding"> {
  if (deepspeed !== null || world === 1 || zero_stage < 2) return {};
  return { sharding: { stage: zero_stage === 3 ? 3 : 2, over: shard_over } };
}

export function checkpointConfig({ checkpoint }: StageStep, { batch, time }: StagePlan): CheckpointConfig {
  const every = checkpoint?.every ?? null;
  const seconds = every?.unit === "seconds" ? every.value : null;
  return {
    every_steps: every === null || seconds !== null ? null : periodSteps(every, batch.tokens_per_step, time.step),
    every_seconds: seconds,
    keep_last: checkpoint?.keepLast ?? null,
    keep_best: checkpoint?.keepBest ?? null,
  };
}

/** JSON as a person would want to read it: keys in the order given, a final line break. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The class that builds the model and its configuration's values, by its family's table. */
function modelConfig(model: SizedModel): ModelConfig {
  const { family, parameters: _, flops_per_token: __, ...shape } = model;
  const statement = families[family];
  return {
    family,
    build: builtBy(statement, model),
    shape,
    vocab: model.vocab,
    context: model.context,
    tied: model.tied,
    parameters: trainableOf(statement, model),
  };
}
