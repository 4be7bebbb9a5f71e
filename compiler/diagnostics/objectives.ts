/** Diagnostics about what a stage learns from beside its loss. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const teacherCounted = define<{ stage: string; teacher: string; parameters: string; share: string }>({
  code: "cdr/distill-teacher",
  severity: "info",
  message: ({ stage, teacher, parameters, share }) =>
    `the plan of \`${stage}\` assumes that its teacher has the student's layout: \`${teacher}\` has ${parameters} parameters, and its forward pass takes ${share} of a step`,
  explanation: `Distillation keeps the teacher's weights beside the student's and runs the teacher on each batch. The plan counts both as the engine's
programs do: split over the same tensor ranks and pipeline stages as the student, sharded at \`zero_stage = 3\`, otherwise whole on each rank, with the
teacher's logits of a micro-batch beside the student's. A program that stores the teacher's outputs on disk, or runs it on other devices, needs less.`,
  fix: "No change is needed; fix the layout if the program gives its teacher another one.",
});

export const objectivePlain = define<{ stage: string; objective: string; missing: string }>({
  code: "cdr/objective-plain",
  severity: "info",
  message: ({ stage, objective, missing }) =>
    `the plan of \`${stage}\` counts plain training: of \`${objective}\` it leaves out ${missing}`,
  explanation: `Preference and reward objectives run models that plain training does not: a frozen reference, an answer more for each sample, or the sampling of
answers. What they take depends on the program, such as where the reference lies and what generates the answers, and the language does not say it. Memory, time and
cost in the plan are those of plain training, and so are the budgets (\`time <=\`, \`cost <=\`, \`assert\`) that it is judged by.`,
  fix: "No change is needed; leave room for it in memory and in budgets.",
});

export const objectiveCritic = define<{ model: string }>({
  code: "cdr/objective-critic",
  severity: "error",
  message: ({ model }) => `\`gae\` needs a value head, and model \`${model}\` has none`,
  explanation: `Generalised advantage estimation compares rewards with the predictions of a value head. GRPO needs none: it compares the
answers of a group with each other.`,
  fix: "Give the model `readout { value = true }`, or compare within a group: `advantage = group`.",
});

export const objectiveData = define<{ what: string; needs: string; data: string; format: string }>({
  code: "cdr/objective-data",
  severity: "error",
  message: ({ what, needs, data, format }) => `${what} needs ${needs}, but ${data} is read ${format}`,
  explanation: `\`dpo\` compares a preferred answer with a rejected one, and \`over = answers\` trains only on answers. Plain text has
neither: the \`format\` of the data tells where its rows have them.`,
  fix: "Describe the rows with `format` in the data, or remove the objective.",
});

export const policyUntrained = define<{ stage: string; choice: string }>({
  code: "cdr/policy-untrained",
  severity: "warning",
  message: ({ stage, choice }) =>
    `\`${choice}\` starts from random weights: neither stage \`${stage}\` nor its model has \`from\``,
  explanation: `\`dpo\` and \`grpo\` improve a model that already answers: its own answers are judged, and it is held near the weights that
it starts from. Adapters such as \`lora\`, and \`freeze\`, leave the weights that they start from as they are. Without \`from\` these are random, so there
is nothing to judge, to stay near or to adapt.`,
  fix: 'Start from trained weights: `from = STAGE.last` in the stage, or `from = "hf://…"` in its model.',
});

export const objectiveHorizon = define<{ horizon: number; context: number }>({
  code: "cdr/objective-horizon",
  severity: "error",
  message: ({ horizon, context }) =>
    `an answer of up to ${horizon} tokens leaves no room for its prompt in a context of ${context} tokens`,
  explanation: `A prompt and its answer form one sequence, which must fit in the \`context\` of the stage, or else of its model.
\`horizon\` is the longest answer.`,
  fix: "Shorten `horizon`, or give the stage or its model a longer `context`.",
});
