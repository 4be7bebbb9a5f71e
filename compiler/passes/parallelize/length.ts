import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { batchEpochs, batchLength, batchWarmup } from "../../diagnostics/batch.ts";
import type { Pipeline, StageStep } from "../../pipeline.ts";
import { scheduleSteps } from "../../planner/schedule.ts";

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
  const counted = stepsOf(stage, pipeline, samples, perStep);
  if (counted === null) {
    return {
      steps: null,
      rule: "",
      diagnostics: [batchEpochs(stage.length.span, { epochs: value, data: stage.data })],
    };
  }
  const steps = Math.ceil(counted);
  if (!(steps >= 1)) {
    return { steps: null, rule: "", diagnostics: [batchLength(stage.length.span, { length: `${value} ${unit}` })] };
  }
  const { warmup, cooldown } = scheduleSteps(stage.schedule, steps, perStep);
  const diagnostics =
    warmup < steps && warmup + cooldown <= steps
      ? []
      : [
          batchWarmup(
            stage.schedule.span,
            { warmup, cooldown, steps },
            { valid: [cooldown > 0 ? `<= ${steps} steps` : `< ${steps} steps`] },
          ),
        ];
  const rounded = steps === counted ? "" : `, rounded up from ${counted.toFixed(2)}`;
  const rule = {
    steps: "length",
    tokens: "length / tokens_per_step",
    samples: "length / batch",
    epochs: "epochs * tokens of the data / tokens_per_step",
  };
  return { steps, rule: `${rule[unit]}${rounded}`, diagnostics };
}

function stepsOf(stage: StageStep, pipeline: Pipeline, samples: number, perStep: number): number | null {
  const { value, unit } = stage.length.value;
  switch (unit) {
    case "steps":
      return value;
    case "tokens":
      return value / perStep;
    case "samples":
      return value / samples;
    case "epochs": {
      const data = pipeline.steps.find((step) => step.kind === "data" && step.name === stage.data);
      return data?.kind === "data" && data.tokens !== null ? (value * data.tokens) / perStep : null;
    }
  }
}
