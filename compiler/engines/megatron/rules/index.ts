/** Everything Megatron demands or changes, in the order in which it does. */
import type { Rule, Step } from "../step.ts";
import { batch } from "./batch.ts";
import { batchSchedule } from "./batch-schedule.ts";
import { build } from "./build.ts";
import { checkpointFormats, checkpointIntervals, checkpointParts, checkpointPreparation } from "./checkpoint.ts";
import { experts } from "./config/experts.ts";
import { graphConfig } from "./config/graphs.ts";
import { inferenceConfig } from "./config/inference.ts";
import { memoryConfig } from "./config/memory.ts";
import { kindConfig, latentConfig, shapeConfig } from "./config/model.ts";
import { unevenStages } from "./config/pipeline.ts";
import { routing } from "./config/routing.ts";
import { activationConfig, lowPrecisionConfig } from "./config/precision.ts";
import { data, dataSources } from "./data.ts";
import { repetition } from "./determinism.ts";
import { graphCapture, graphNames, graphs } from "./graphs.ts";
import { groups } from "./groups.ts";
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
import { silent } from "./silent.ts";
import { vocabulary } from "./vocabulary.ts";
import { weightShards } from "./weight-shards.ts";
import { written } from "./written.ts";

export const steps: readonly Step[] = [
  ...checkpointPreparation,
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
  ...groups,
  ...scheduled,
  ...late,
  ...build,
  ...silent,
];

export const rules: readonly Rule[] = steps.filter((step) => step.kind === "rule");
