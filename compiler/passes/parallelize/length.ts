import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { batchEpochs, batchLength } from "../../diagnostics/batch.ts";
import type { Pipeline, StageStep } from "../../pipeline.ts";
import { stepsIn } from "../../planner/steps-in.ts";

export interface Steps {
  readonly steps: number | null;
  /** How the steps follow from what was written. */
  readonly rule: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Optimizer steps of a stage; a length that is no whole number of steps is rounded up. */
export function lengthOf(stage: StageStep, pipeline: Pipeline, samples: number): Steps {
  const { value, unit } = stage.length.value;
  const perStep = samples * stage.sequence.value;
  const data = pipeline.steps.find((step) => step.kind === "data" && step.name === stage.data);
  const counted = stepsIn(stage.length.value, samples, perStep, data?.kind === "data" ? data.trained : null);
  if (counted === null) {
    return {
      steps: null,
      rule: "",
      diagnostics: [batchEpochs(stage.length.span, { epochs: value, data: stage.data })],
    };
  }
  const steps = Math.ceil(counted);
  if (!(counted >= 1)) {
    const slots = { length: `${value} ${unit}`, batch: unit === "steps" ? null : perStep };
    return { steps: null, rule: "", diagnostics: [batchLength(stage.length.span, slots)] };
  }
  const rounded = steps === counted ? "" : `, rounded up from ${counted.toFixed(2)}`;
  const rule = {
    steps: "length",
    tokens: "length / tokens_per_step",
    samples: "length / batch",
    epochs: "epochs * training tokens of the data / tokens_per_step",
  };
  return { steps, rule: `${rule[unit]}${rounded}`, diagnostics: [] };
}
