/** Diagnostics about contradictions of a stage with itself, its model or its plan. */
import { counted } from "../../dsl/diagnostics/counted.ts";
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const scalerUnneeded = define<{ scaler: string; precision: string }>({
  code: "cdr/stage-scaler",
  severity: "error",
  message: ({ scaler, precision }) => `\`scaler = ${scaler}\` is only for fp16, but precision is ${precision}`,
  explanation: `fp16 cannot represent small gradients, so the loss is scaled up before the backward pass and the gradients down after it. bf16
and fp32 have a larger range and need no scaling.`,
  fix: "Remove `scaler`, or write `precision = fp16`.",
});

export const precisionSlow = define<{ device: string; times: number }>({
  code: "cdr/precision-slow",
  severity: "info",
  message: ({ device, times }) =>
    `precision is fp32 because ${device} has no bf16; its peak in fp16 is ${times} times as high`,
  explanation: `A GPU older than Ampere has matrix units only for fp16. Its range is narrow: the loss must be scaled, and a model that was trained in
bf16 may overflow. So fp16 is never chosen by default, although it also halves the memory of kept activations.`,
  fix: "Write `precision = fp16` for speed, or `precision = fp32` to keep the range.",
});

export const lossExperts = define<{ term: string; model: string }>({
  code: "cdr/loss-experts",
  severity: "error",
  message: ({ term, model }) => `\`${term}\` needs a router, but model \`${model}\` has no experts`,
  explanation: `\`load_balance\` and \`z_loss\` keep a router balanced and its logits small; \`overflow\`, \`entropy\` and an eval's \`utilization\` measure
how it spreads tokens. They need a model with \`moe { experts = … }\`.`,
  fix: "Remove it, or give the model `moe { experts = … }`.",
});

export const lossConstant = define<{ loss: string }>({
  code: "cdr/loss-constant",
  severity: "error",
  message: ({ loss }) => `the loss ${loss} does not depend on the model: nothing would be trained`,
  explanation: `A loss is a formula over its terms, such as \`cross_entropy + 0.01 * z_loss\`, or a plugin with \`role = loss\`. A constant has no
gradient.`,
  fix: "Write a formula to minimise: `loss = cross_entropy`, which is the default.",
});

export const lossNegative = define<{ term: string; weight: string }>({
  code: "cdr/loss-negative",
  severity: "error",
  message: ({ term, weight }) =>
    `\`${term}\` has the weight ${weight} in the loss, which is minimised: the model would learn to increase it`,
  explanation: `A loss is minimised, and its terms are errors and penalties, so each needs a positive weight. Repeated terms are
added: \`0.01 * cross_entropy - cross_entropy\` is \`-0.99 * cross_entropy\`. Only the \`entropy\` of a policy may be subtracted, because more of it is better.`,
  fix: "Write `+`, or remove the term.",
});

export const lossObjective = define<{ what: string; missing: string }>({
  code: "cdr/loss-objective",
  severity: "error",
  message: ({ what, missing }) => `${what} without ${missing}`,
  explanation: `An objective gives the loss a term: \`grpo\` and \`dpo\` give \`policy\`, \`grpo\` also \`value\` and \`entropy\`, and \`distill\` gives
\`distill\`. Both must be written, so that the weights are explicit: a term without its objective has no value, and an objective without its
term trains nothing.`,
  fix: "Write both, such as `objective = dpo(…)` and `loss = policy`; or neither.",
});

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
    `the plan of \`${stage}\` counts plain training on its batches; of \`${objective}\` it leaves out ${missing}`,
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

export const freezeLayers = define<{ written: string; layers: number; why: string }>({
  code: "cdr/freeze-layers",
  severity: "warning",
  message: ({ written, layers, why }) => `\`freeze = ${written}\` of ${layers} layers ${why}`,
  explanation: `\`lower\` freezes whole layers, counted from the input; the share is rounded to whole layers. Embedding tables, the last norm and the
head are still trained, and adapters are added only to layers that are not frozen.`,
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

export const checkpointAt = define<{ handle: string; stage: string; why: string }>({
  code: "cdr/checkpoint-at",
  severity: "error",
  message: ({ handle, stage, why }) => `\`${handle}\` does not exist when stage \`${stage}\` ends: it ${why}`,
  explanation: `\`stage.at(10_000 steps)\` is the checkpoint of that step, which \`checkpoint { every = … }\` must save and \`keep\` must not
delete before the stage ends. The final checkpoint is always kept. If checkpoints are saved by the clock, their steps are not known in advance.`,
  fix: "Name a step at which the stage saves, save at this one, or keep more: `checkpoint { every = 1000 steps, keep = all }`.",
});

export const attentionFlash = define<{ why: string }>({
  code: "cdr/stage-attention",
  severity: "error",
  message: ({ why }) => `\`attention = flash\` needs bf16 or fp16 on an Ampere or later GPU, but ${why}`,
  explanation: `FlashAttention has kernels only for 16-bit values, on NVIDIA's Ampere (A100) and later or AMD's Instinct. Otherwise the
program stops at its first step. PyTorch's own \`sdpa\` runs everywhere, and uses the same kernels where possible.`,
  fix: "Write `attention = sdpa`, or train in bf16 on an Ampere or later GPU.",
});

export const attentionHeads = define<{ engine: string; why: string }>({
  code: "cdr/attention-heads",
  severity: "error",
  message: ({ engine, why }) => `${engine} has no FlashAttention for this stage: ${why}`,
  explanation: `FlashAttention's kernels support heads up to 256 wide; Transformer Engine uses them only for multiples of 8, in 16 bits, on Ampere
or later. Some classes of transformers do not support them at all. With \`attention = flash\`, the program then stops at its first step.`,
  fix: "Change the width of the heads, or write `attention = sdpa`.",
});

export const attentionUnfused = define<{ engine: string; why: string }>({
  code: "cdr/attention-unfused",
  severity: "info",
  message: ({ engine, why }) =>
    `${engine} has no fused attention for this stage: ${why}. The plan counts the attention scores in memory`,
  explanation: `Fused attention does not store scores. Its kernels support certain widths of heads: under Megatron multiples of 8 up to 256; under
the other engines any up to 256, and wider ones that are multiples of 8. Some classes of transformers cannot use PyTorch's kernel, because they cap the scores
or shift them by position. Otherwise attention runs as two plain products with a softmax between them: each layer
stores a score for each pair of tokens and each head, with memory and time that grow with the square of the context.`,
  fix: "Use heads of 64 or 128, or allow for the memory and the time.",
});

export const scanUnfused = define<{ engine: string; kind: string; walks: boolean }>({
  code: "cdr/scan-unfused",
  severity: "info",
  message: ({ engine, kind, walks }) =>
    `${engine} has no kernel for the recurrence of ${kind} (no mamba-ssm, no causal-conv1d): the plan counts ` +
    (walks
      ? "the states of every token in memory, and time that grows with the square of the sequence"
      : "PyTorch's own operations, several times a kernel's memory and time"),
  explanation: `The kernels of mamba-ssm recompute the states of a recurrence in the backward pass and keep almost nothing. Without them transformers
computes it in PyTorch's own operations: Mamba walks through the positions one by one and keeps the state of each, Mamba-2 computes chunks of 128 or 256
positions and keeps scores within them for each head. The locked environment of the training program has neither package, because both are
compiled for one release of CUDA and PyTorch. Megatron requires them and is planned with its kernels.`,
  fix: "Use `engine = megatron`, which has its own kernels for Mamba-2, recompute the layers (`layout { recompute = full }`), or allow for the memory and the time.",
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

export const evalNever = define<{ eval: string; why: string }>({
  code: "cdr/eval-when",
  severity: "error",
  message: ({ eval: name, why }) => `eval \`${name}\` ${why}`,
  explanation: `An \`eval\` measures either a checkpoint, when it is run, or the weights of a stage that lists it in \`evals\`, at each
\`every\`. It measures the loss on \`data\` and the \`tasks\`.`,
  fix: "Give the `eval` a `model = pretrain.last` to run by itself, or an `every` and a place in a stage's `evals`.",
});

export const periodNever = define<{
  of: string;
  name: string;
  value: string;
  stage: string;
  steps: number;
  others: number;
}>({
  code: "cdr/period-never",
  severity: "warning",
  message: ({ of, name, value, stage, steps, others }) =>
    `\`${name} = ${value}\`${of === "" ? "" : ` of \`${of}\``} goes beyond the end of stage \`${stage}\`, which has ${counted(steps, "step")}${others === 0 ? "" : `; likewise in ${counted(others, "other stage")}`}`,
  explanation: `What is to happen \`every\` 5000 steps never happens in a stage of 1000, and a ramp over 5000 steps never reaches its end.`,
  fix: "Write fewer steps, or remove it.",
});

export const checkpointDisk = define<{ count: number; each: string; whole: string; cluster: string; disk: string }>({
  code: "cdr/checkpoint-disk",
  severity: "error",
  message: ({ count, each, whole, cluster, disk }) =>
    `${count} checkpoints of ${each}, one of them being written, take ${whole}, but the disk of a node of ${cluster} has ${disk}`,
  explanation: `A run on one node saves to the node's own disk, \`node { disk = … }\`. A new checkpoint is written before the oldest is deleted, so
the disk must hold one more than \`keep\`. A run that fills the disk ends at that save.`,
  fix: "Keep fewer, `keep = last(2)`, save to a store, or use a larger disk.",
});

export const checkpointRare = define<{
  stage: string;
  failures: string;
  work: string;
  saved: string;
  /** Hours and the share of the run; `null` where nobody can say how many. */
  lost: string | null;
}>({
  code: "cdr/checkpoint-rare",
  severity: "warning",
  message: ({ stage, failures, work, saved, lost }) =>
    `\`${stage}\` trains for ${work} with about ${failures} expected failures, and ${saved}: ${lost === null ? "repeated work would take longer than the training" : `repeated work takes ${lost} of the run`}`,
  explanation: `Machines fail: Llama 3 was interrupted 419 times in 54 days of 16,384 GPUs (arXiv 2407.21783, section 3.3.4), and plans assume that
rate. A failure sends a run back to its last checkpoint, or to its start. The lost time grows exponentially with the number of failures
expected between two checkpoints (Daly 2006), so a run with several hardly ever finishes. The warning comes from a tenth of the run on; where half is
lost or more, the plan shows hours, cost and energy without the lost time.`,
  fix: "Save more often, `checkpoint { every = … }`, and let the stage resume: `resume = exact`.",
});

export const runEndless = define<{ stage: string; what: string }>({
  code: "cdr/run-endless",
  severity: "warning",
  message: ({ stage, what }) => `\`${stage}\` practically never ends: ${what}`,
  explanation: `A step of more than a month, or a run of more than a century, usually comes from a wrong number or unit: samples instead of tokens,
or a length for another cluster. The plan is still shown.`,
  fix: "Check the number and its unit (`batch = 4M tokens`, `length = 300B tokens`), or use more devices.",
});

export const expectNever = define<{ condition: string; at: number; steps: number }>({
  code: "cdr/expect-never",
  severity: "warning",
  message: ({ condition, at, steps }) =>
    `\`expect ${condition}\` is never tested: it waits for step ${at}, but the stage ends after ${counted(steps, "step")}`,
  explanation: `\`loss.at(5000 steps)\` is the loss at that step, and the condition is tested there. A stage that ends earlier would
succeed whatever its loss.`,
  fix: "Name a step within the stage, or remove the `at`.",
});

export const expectImpossible = define<{ condition: string; why: string }>({
  code: "cdr/expect-impossible",
  severity: "error",
  message: ({ condition, why }) => `\`expect ${condition}\` can never be true: ${why}`,
  explanation: `A share is at most 100 %, the entropy of a router at most the logarithm of its number of
experts (3 bits for 8 experts), and no device computes faster than its peak.`,
  fix: "Write a condition that is possible, within the limit that the message names.",
});

export const expectCertain = define<{ condition: string; why: string }>({
  code: "cdr/expect-certain",
  severity: "warning",
  message: ({ condition, why }) => `\`expect ${condition}\` is always true, so it watches nothing: ${why}`,
  explanation: `A limit outside the possible range is usually a slip: \`utilization <= 500%\` where \`50%\` was meant, or a superfluous sign.`,
  fix: "Write a limit in the range that the message names, or remove the expectation.",
});

export const expectRollback = define<{ stage: string; why: string }>({
  code: "cdr/expect-rollback",
  severity: "error",
  message: ({ stage, why }) => `stage \`${stage}\` has no checkpoint to return to: ${why}`,
  explanation: `\`else rollback(to = last)\` returns a run to an earlier checkpoint. Without
\`checkpoint { every = … }\`, a stage saves only at its end.`,
  fix: "Add `checkpoint { every = 500 steps }` to the stage, or write `else stop`.",
});

export const objectiveData = define<{ what: string; needs: string; data: string; format: string }>({
  code: "cdr/objective-data",
  severity: "error",
  message: ({ what, needs, data, format }) => `${what} needs ${needs}, but ${data} is read ${format}`,
  explanation: `\`dpo\` compares a preferred answer with a rejected one, and \`over = answers\` trains only on answers. Plain text has
neither: the \`format\` of the data tells where its rows have them.`,
  fix: "Describe the rows with `format` in the data, or remove the objective.",
});

export const policyUntrained = define<{ stage: string; objective: string }>({
  code: "cdr/policy-untrained",
  severity: "warning",
  message: ({ stage, objective }) =>
    `\`${objective}\` starts from random weights: neither stage \`${stage}\` nor its model has \`from\``,
  explanation: `\`dpo\` and \`grpo\` improve a model that already answers: its own answers are judged, and it is held near the weights that
it starts from. Without \`from\` these are random, so there is nothing to judge and nothing worth staying near.`,
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
  message: ({ does, ranks, source }) =>
    `the stage ${does} but has no \`batch\`, and the default is only for training from scratch; \`valid\` has batches of others (${source})${ranks > 1 ? `, as multiples of ${ranks} ranks` : ""}`,
  explanation: `Without a \`batch\`, the compute of the stage determines it (DeepSeek LLM, arXiv 2401.02954). That law was measured on models
trained from random weights on unlimited text. Fine-tuning, preferences, rewards and adapters use little data, and the best batch depends on
that data: choose it yourself, like the learning rate.`,
  fix: "Write `batch`, for instance a value that `valid` lists.",
});
