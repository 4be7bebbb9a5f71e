/** Everything Megatron demands or changes, in the order in which it does. */
import type { Rule, Step } from "../step.ts";
import { batch } from "./batch.ts";
import { batchSchedule } from "./batch-schedule.ts";
import { beyond } from "./beyond.ts";
import { build } from "./build.ts";
import { buildLayers } from "./build-layers.ts";
import { checkpointFormats, checkpointIntervals, checkpointParts, checkpointPreparation } from "./checkpoint.ts";
import { experts } from "./config/experts.ts";
import { graphConfig } from "./config/graphs.ts";
import { inferenceConfig } from "./config/inference.ts";
import { memoryConfig } from "./config/memory.ts";
import { kindConfig, latentConfig, shapeConfig } from "./config/model.ts";
import { unevenStages } from "./config/pipeline.ts";
import { routing } from "./config/routing.ts";
import { activationConfig, lowPrecisionConfig } from "./config/precision.ts";
import { contextAttention } from "./context-attention.ts";
import { data, dataSources } from "./data.ts";
import { dataSets } from "./data-sets.ts";
import { repetition } from "./determinism.ts";
import { expertLayers } from "./expert-layers.ts";
import { graphCapture, graphNames, graphs } from "./graphs.ts";
import { groups } from "./groups.ts";
import { heterogeneous } from "./heterogeneous.ts";
import { older } from "./older.ts";
import { optimizerConfig, optimizers } from "./optimizer.ts";
import { megatronFsdp, overlap } from "./overlap.ts";
import { contextParallel, parallel } from "./parallel.ts";
import { hybrid, pipeline } from "./pipeline.ts";
import { lowPrecision, precision, precisionOfParts } from "./precision.ts";
import { delays, recompute } from "./recompute.ts";
import { late } from "./late.ts";
import { removed } from "./removed.ts";
import { rollouts } from "./rollouts.ts";
import { decayOfWeights, rates, scheduled, units } from "./schedule.ts";
import { latentParts, modelKinds, shape } from "./shape.ts";
import { packed } from "./packed.ts";
import { plainNorm } from "./plain-norm.ts";
import { silent } from "./silent.ts";
import { unreadBeside } from "./unread.ts";
import { vocabulary } from "./vocabulary.ts";
import { weightShards } from "./weight-shards.ts";
import { written } from "./written.ts";

const beside: readonly Step[] = [
  ...checkpointPreparation,
  ...heterogeneous,
  ...written,
  ...parallel,
  ...rollouts,
  ...contextParallel,
  ...removed,
  ...graphNames,
  ...dataSources,
  ...batch,
  ...hybrid,
  ...pipeline,
  ...overlap,
  ...lowPrecision,
  ...megatronFsdp,
  ...precision,
  ...graphs,
  ...units,
  ...shape,
  ...rates,
  ...checkpointIntervals,
  ...precisionOfParts,
  ...decayOfWeights,
  ...recompute,
  ...weightShards,
  ...modelKinds,
  ...checkpointFormats,
  ...data,
  ...repetition,
  ...optimizers,
  ...checkpointParts,
  ...delays,
  ...graphCapture,
  ...latentParts,
  ...vocabulary,
  ...batchSchedule,
  ...kindConfig,
  ...shapeConfig,
  ...lowPrecisionConfig,
  ...experts,
  ...memoryConfig,
  ...unevenStages,
  ...activationConfig,
  ...routing,
  ...graphConfig,
  ...latentConfig,
  ...inferenceConfig,
  ...optimizerConfig,
  ...older,
  ...groups,
  ...scheduled,
  ...late,
  ...build,
  ...buildLayers,
  ...contextAttention,
  ...packed,
  ...plainNorm,
  ...silent,
  ...beyond,
  ...expertLayers,
  ...dataSets,
];

export const steps: readonly Step[] = [...beside, ...unreadBeside(beside)];

export const rules: readonly Rule[] = steps.filter((step) => step.kind === "rule");
