/** Diagnostics about contradictions of a stage with itself, its model or its plan. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const scalerUnneeded = define<{ scaler: string; precision: string }>({
  code: "cdr/stage-scaler",
  severity: "error",
  message: ({ scaler, precision }) => `\`scaler = ${scaler}\` is only for fp16, but precision is ${precision}`,
  explanation: `fp16 cannot represent small gradients, so the loss is scaled up before the backward pass and the gradients down after it. bf16
and fp32 have a larger range and need no scaling.`,
  fix: "Remove `scaler`, or write `precision = fp16`.",
});

export const adapterTarget = define<{ target: string; model: string; why: string }>({
  code: "cdr/adapter-target",
  severity: "error",
  message: ({ target, model, why }) => `model \`${model}\` has no \`${target}\` for an adapter: ${why}`,
  explanation: `Adapters are attached to matrices of the model. A target that matches none would train nothing, and if no
target is left, the whole model would silently be trained.`,
  fix: "Name matrices of the model; `valid` lists them.",
});

export const adaptersOfModel = define<{ stage: string; model: string }>({
  code: "cdr/adapters-of-model",
  severity: "warning",
  message: ({ stage, model }) =>
    `stage \`${stage}\` trains every weight of \`${model}\`: adapters of a model are not supported yet, and the stage has none`,
  explanation: `\`adapters = lora(…)\` trains small matrices and freezes the rest. It works only in a stage; adapters of a
model are checked, but neither planned nor trained.`,
  fix: "Write `adapters = …` in the stage.",
});

export const adaptersMerged = define<{ stage: string; from: string }>({
  code: "cdr/adapters-merged",
  severity: "info",
  message: ({ stage, from }) =>
    `stage \`${stage}\` trains every weight: it starts from \`${from}\`, whose adapters are added to the weights, and has none itself`,
  explanation: `A stage with \`adapters = lora(…)\` trains small matrices beside weights that stay as they are. A stage that starts from it
and has no \`adapters\` adds them to the weights and trains these, which takes many times the memory. \`adapters = none\` says that this is
meant.`,
  fix: "Write `adapters = lora(…)` in the stage too, or `adapters = none`.",
});

export const freezeLayers = define<{ written: string; layers: number; why: string }>({
  code: "cdr/freeze-layers",
  severity: "warning",
  message: ({ written, layers, why }) => `\`freeze = ${written}\` of ${layers} layers ${why}`,
  explanation: `\`lower\` freezes whole layers, counted from the input; the share is rounded to whole layers. The last norm and the head are still
trained, embedding tables too unless \`embeddings\` stands beside it, and adapters are added only to layers that are not frozen.`,
  fix: "Write another share, or remove `freeze`.",
});

export const emaMissing = define<{ stage: string }>({
  code: "cdr/checkpoint-ema",
  severity: "error",
  message: ({ stage }) =>
    `\`${stage}.mean\` needs a running mean of the weights: add \`ema { decay = … }\` to stage \`${stage}\``,
  explanation: `\`stage.mean\` is the running mean of the weights, which a stage keeps during training only if it has an \`ema\` block.`,
  fix: "Add `ema { decay = 0.999 }` to the stage, or use the `last` checkpoint.",
});

export const scheduleFlat = define<{ schedule: string }>({
  code: "cdr/schedule-flat",
  severity: "warning",
  message: ({ schedule }) => `\`${schedule}\` ends at the rate where it begins, so it equals \`constant\``,
  explanation: `\`to\` is the final learning rate as a share of its peak. At 100 % a cosine, a line or a cool-down has no effect.`,
  fix: "Write `constant` if that is what you want, or a lower `to`.",
});

export const scheduleRate = define<{ to: string; share: string; lr: string; ofPeak: string | null }>({
  code: "cdr/schedule-rate",
  severity: "warning",
  message: ({ to, share, lr, ofPeak }) =>
    `\`to = ${to}\` is ${share} of the peak rate, ${ofPeak === null ? `which is ${lr}` : `and looks like a rate: of ${lr} it is ${ofPeak}`}`,
  explanation: `A schedule multiplies the optimizer's rate, and \`to\` is the final share of the peak: with \`lr = 3e-4\`, a final rate of 3e-5 is
\`to = 10%\`. A plain number below a thousandth, or equal to the rate, is probably a rate, such as \`min_lr\` in other tools: as a share, it would
let the rate fall to almost zero. A share with \`%\` is never questioned.`,
  fix: "Write the share of the peak, in `%`.",
});

export const budgetExceeded = define<{ what: string; estimate: string; bound: string }>({
  code: "cdr/budget-exceeded",
  severity: "error",
  message: ({ what, estimate, bound }) => `the ${what} is about ${estimate}, but ${bound} is allowed`,
  explanation: `\`cost <= …\` and \`time <= …\` limit a stage; they are compared with its plan before it starts. If the error of the estimate is larger than the difference, this is a warning.`,
  fix: "Shorten `length`, use more or faster devices for a time and cheaper ones for a cost, or raise the limit.",
  fixFor: ({ what }) =>
    what === "cost"
      ? "Shorten `length`, use cheaper devices, or raise the limit: more devices do not reduce the cost."
      : "Shorten `length`, use more or faster devices, or raise the limit.",
});

export const batchTuned = define<{ does: string; ranks: number; source: string }>({
  code: "cdr/batch-tuned",
  severity: "error",
  message: ({ does }) => `the stage ${does} but has no \`batch\`: the default is only for training from scratch`,
  explanation: `Without a \`batch\`, the compute of the stage determines it (DeepSeek LLM, arXiv 2401.02954). That law was measured on models
trained from random weights on unlimited text. Fine-tuning, preferences, rewards and adapters use little data, and the best batch depends on
that data: choose it yourself, like the learning rate.`,
  fix: "Write `batch`, for instance a value that `valid` lists.",
  fixFor: ({ ranks, source }) =>
    `Write \`batch\`; \`valid\` lists those of others (${source})${ranks > 1 ? `, as multiples of ${ranks} ranks` : ""}.`,
});
