/** Everything Megatron demands or changes, in the order in which it does. */
import type { Rule, Step } from "../step.ts";
import { batch } from "./batch.ts";
import { checkpointFormats, checkpointIntervals, checkpointParts, checkpointPreparation } from "./checkpoint.ts";
import { data, dataSources } from "./data.ts";
import { graphCapture, graphNames, graphs } from "./graphs.ts";
import { megatronFsdp, overlap } from "./overlap.ts";
import { contextParallel, parallel } from "./parallel.ts";
import { hybrid, pipeline } from "./pipeline.ts";
import { lowPrecision, precision, precisionOfParts } from "./precision.ts";
import { removed } from "./removed.ts";
import { rollouts } from "./rollouts.ts";
import { decayOfWeights, rates, scheduled, units } from "./schedule.ts";
import { latentParts, modelKinds, shape } from "./shape.ts";

export const steps: readonly Step[] = [
  ...checkpointPreparation,
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
  ...modelKinds,
  ...checkpointFormats,
  ...data,
  ...checkpointParts,
  ...graphCapture,
  ...latentParts,
  ...scheduled,
];

export const rules: readonly Rule[] = steps.filter((step) => step.kind === "rule");
