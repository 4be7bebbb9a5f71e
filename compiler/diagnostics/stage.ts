/** Diagnostics about what a stage says against itself, its model or its plan. */
import { counted } from "../../dsl/diagnostics/counted.ts";
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const scalerUnneeded = define<{ scaler: string; precision: string }>({
  code: "cdr/stage-scaler",
  severity: "error",
  message: ({ scaler, precision }) =>
    `\`scaler = ${scaler}\` scales the loss for fp16, and precision is ${precision}`,
  explanation: `fp16 cannot hold small gradients, so the loss is scaled up before the backward pass and the gradients down after it. bf16
and fp32 have the same range and need no scaling.`,
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
  message: ({ term, model }) => `\`${term}\` is about a router, but model \`${model}\` has no experts`,
  explanation: `\`load_balance\` and \`z_loss\` keep a router balanced and its logits small; \`overflow\`, \`entropy\` and an eval's \`utilization\` measure
how it spreads tokens. They need a model with \`moe { experts = … }\`.`,
  fix: "Leave it out, or give the model `moe { experts = … }`.",
});

export const lossConstant = define<{ loss: string }>({
  code: "cdr/loss-constant",
  severity: "error",
  message: ({ loss }) => `a loss of ${loss} is the same whatever the model says: nothing would be trained`,
  explanation: `A loss is a formula over its terms, such as \`cross_entropy + 0.01 * z_loss\`, or a plugin with \`role = loss\`. A number alone has no
gradient.`,
  fix: "Write what is minimised: `loss = cross_entropy`, which is the default.",
});

export const lossNegative = define<{ term: string; weight: string }>({
  code: "cdr/loss-negative",
  severity: "error",
  message: ({ term, weight }) =>
    `\`${term}\` has the weight ${weight} in the loss, which is minimised: the model would learn to make it worse`,
  explanation: `A loss is minimised, and its terms are errors and penalties: each has a weight above zero. A term counts as often as it is
written: \`0.01 * cross_entropy - cross_entropy\` is \`-0.99 * cross_entropy\`. The \`entropy\` of a policy may be subtracted, because more of it is better.`,
  fix: "Write `+`, or leave the term out.",
});

export const lossObjective = define<{ what: string; missing: string }>({
  code: "cdr/loss-objective",
  severity: "error",
  message: ({ what, missing }) => `${what} without ${missing}`,
  explanation: `An objective gives the loss a term: \`grpo\` and \`dpo\` give \`policy\`, \`grpo\` also \`value\` and \`entropy\`, and \`distill\` gives
\`distill\`. Write both, so that the weights are explicit: \`loss = cross_entropy + policy\`. A term without an objective has no value, and an objective that is
no part of the loss trains nothing.`,
  fix: "Write both: `objective = grpo(…)` and `loss = cross_entropy + policy`; or neither.",
});

export const teacherCounted = define<{ stage: string; teacher: string; parameters: string; share: string }>({
  code: "cdr/distill-teacher",
  severity: "info",
  message: ({ stage, teacher, parameters, share }) =>
    `the plan of \`${stage}\` lays its teacher out as its own model: \`${teacher}\` has ${parameters} parameters, and its forward pass takes ${share} of a step`,
  explanation: `A stage that distils keeps its teacher's weights beside its own model and asks it for each batch. Plans count both where programs of
the engine put them: cut by the same tensor ranks and stages as the student, sharded at \`zero_stage = 3\`, whole on each rank else, and what it says of a
micro-batch beside the student's logits. A program that keeps the teacher's answers on a disk, or asks it on other devices, needs less.`,
  fix: "Nothing has to be done; pin the layout where the program lays its teacher out otherwise.",
});

export const objectiveCritic = define<{ model: string }>({
  code: "cdr/objective-critic",
  severity: "error",
  message: ({ model }) => `\`gae\` needs a value head, and model \`${model}\` has none`,
  explanation: `Generalised advantage estimation compares rewards with the predictions of a value head: \`readout { value = true }\` gives the
model one. GRPO needs none: it compares the answers of a group with each other, \`advantage = group\`.`,
  fix: "Give the model `readout { value = true }`, or compare within a group: `advantage = group`.",
});

export const adapterTarget = define<{ target: string; model: string; why: string }>({
  code: "cdr/adapter-target",
  severity: "error",
  message: ({ target, model, why }) => `model \`${model}\` has no \`${target}\` for an adapter: ${why}`,
  explanation: `Adapters belong to matrices of the architecture. A target that matches none would train nothing, and with no
target left the whole model would silently be trained.`,
  fix: "Name matrices that the model has; `valid` lists them.",
});

export const adaptersOfModel = define<{ stage: string; model: string }>({
  code: "cdr/adapters-of-model",
  severity: "warning",
  message: ({ stage, model }) =>
    `stage \`${stage}\` trains every weight of \`${model}\`: adapters of a model are not carried out yet, and the stage has none`,
  explanation: `\`adapters = lora(…)\` trains small matrices and freezes the rest. It is carried out if it is written in a stage; adapters that a
model declares are checked, but neither planned nor trained.`,
  fix: "Write `adapters = …` in the stage.",
});

export const freezeLayers = define<{ written: string; layers: number; why: string }>({
  code: "cdr/freeze-layers",
  severity: "warning",
  message: ({ written, layers, why }) => `\`freeze = ${written}\` of ${layers} layers ${why}`,
  explanation: `\`lower\` freezes whole layers, counted from the input, as many as the share comes to when it is rounded. Tables, the last norm and the
head are trained all the same, and adapters stand in layers alone, in those that are not frozen.`,
  fix: "Write another share, or leave `freeze` out.",
});

export const emaMissing = define<{ stage: string }>({
  code: "cdr/checkpoint-ema",
  severity: "error",
  message: ({ stage }) =>
    `\`${stage}.mean\` needs a running mean of the weights: add \`ema { decay = … }\` to stage \`${stage}\``,
  explanation: `\`stage.mean\` is the mean of the weights that a stage keeps while it trains, where it has an \`ema\` block. Without one, ask
for the \`last\` checkpoint.`,
  fix: "Add `ema { decay = 0.999 }` to the stage, or ask for the `last` checkpoint.",
});

export const checkpointAt = define<{ handle: string; stage: string; why: string }>({
  code: "cdr/checkpoint-at",
  severity: "error",
  message: ({ handle, stage, why }) =>
    `\`${handle}\`: stage \`${stage}\` has no such checkpoint at the end: it ${why}`,
  explanation: `\`stage.at(10_000 steps)\` is the checkpoint of that step that a stage still has when it ends: one that \`checkpoint { every = … }\` saves
and \`keep\` leaves. The final checkpoint is always there. A checkpoint that is saved by the clock has no step that is known in advance.`,
  fix: "Name a step at which the stage saves, save at this one, or keep more: `checkpoint { every = 1000 steps, keep = all }`.",
});

export const attentionFlash = define<{ why: string }>({
  code: "cdr/stage-attention",
  severity: "error",
  message: ({ why }) => `\`attention = flash\` needs bf16 or fp16 on a GPU from Ampere on, and ${why}`,
  explanation: `FlashAttention has kernels only for 16-bit values, on NVIDIA's Ampere (A100) and later or AMD's Instinct. Otherwise the
program stops at its first step. \`sdpa\` is PyTorch's own, runs everywhere, and takes the same kernels where it can.`,
  fix: "Write `attention = sdpa`, or train in bf16 on a GPU from Ampere on.",
});

export const attentionHeads = define<{ engine: string; why: string }>({
  code: "cdr/attention-heads",
  severity: "error",
  message: ({ engine, why }) => `${engine} has no FlashAttention for this stage: ${why}`,
  explanation: `FlashAttention's kernels are made for heads up to 256 wide, and Transformer Engine gives them multiples of 8 alone, in 16 bits, from Ampere
on. Some classes of transformers have none at all. If a stage insists on FlashAttention, the program stops at its first step.`,
  fix: "Take other heads, or write `attention = sdpa`.",
});

export const attentionUnfused = define<{ engine: string; why: string }>({
  code: "cdr/attention-unfused",
  severity: "info",
  message: ({ engine, why }) =>
    `${engine} has no fused attention for this stage: ${why}. Scores are written to memory, and planned so`,
  explanation: `Fused attention keeps no scores; its kernels take some widths of heads: under Megatron multiples of 8 up to 256; under
the other engines any up to 256, and wider ones that are multiples of 8. Some classes of transformers have none: scores that are capped, or shifted by position,
leave PyTorch's kernel nothing to fuse. Others run as two plain products with a softmax between them: each layer
writes a score for each pair of tokens and each head, which costs memory and time that grow with the square of the context. Plans count them.`,
  fix: "Take heads of 64 or 128, or allow for the memory and the time.",
});

export const scheduleFlat = define<{ schedule: string }>({
  code: "cdr/schedule-flat",
  severity: "warning",
  message: ({ schedule }) => `\`${schedule}\` ends where it begins, so the rate never falls: it is \`constant\``,
  explanation: `\`to\` is where the learning rate ends, as a share of its peak. At 100 % a cosine, a line or a cool-down changes nothing.`,
  fix: "Write `constant` if that is what you want, or a lower `to`.",
});

export const scheduleRate = define<{ to: string; share: string; lr: string; ofPeak: string | null }>({
  code: "cdr/schedule-rate",
  severity: "warning",
  message: ({ to, share, lr, ofPeak }) =>
    `\`to = ${to}\` is ${share} of the peak rate, ${ofPeak === null ? `which is ${lr}` : `and looks like a rate: of ${lr} it is ${ofPeak}`}`,
  explanation: `A schedule is a factor on the optimizer's rate, and \`to\` the share of the peak at which it ends: with \`lr = 3e-4\`, a last rate of 3e-5 is
\`to = 10%\`. A plain number below a thousandth, or one that is the rate itself, is what other tools call \`min_lr\`: taken for a share, the rate falls to
almost nothing. With \`%\` any share is taken as it stands.`,
  fix: "Write the share of the peak, in `%`.",
});

export const evalNever = define<{ eval: string; why: string }>({
  code: "cdr/eval-when",
  severity: "error",
  message: ({ eval: name, why }) => `eval \`${name}\` ${why}`,
  explanation: `An \`eval\` measures a checkpoint (\`model = pretrain.last\`) when it is run, or, listed in a stage's \`evals\`, the stage's own
weights as often as its \`every\` says. It measures the loss on \`data\`, and what \`tasks\` lists.`,
  fix: "Give the `eval` a `model = pretrain.last` to run by itself, or an `every` and a place in a stage's `evals`.",
});

export const periodNever = define<{ what: string; every: string; stage: string; steps: number }>({
  code: "cdr/period-never",
  severity: "warning",
  message: ({ what, every, stage, steps }) =>
    `\`${what} { every = ${every} }\` never comes: stage \`${stage}\` ends after ${steps} step${steps === 1 ? "" : "s"}`,
  explanation: `What happens \`every\` so often happens while the stage runs. If the period is longer than the stage, it never happens.`,
  fix: "Write a shorter `every`, or remove the block.",
});

export const checkpointDisk = define<{ count: number; each: string; whole: string; cluster: string; disk: string }>({
  code: "cdr/checkpoint-disk",
  severity: "error",
  message: ({ count, each, whole, cluster, disk }) =>
    `${count} checkpoints of ${each}, one of them being written, are ${whole}, and the disk of a node of ${cluster} is ${disk}`,
  explanation: `A run on one node saves on the node's own disk, \`node { disk = … }\`. A checkpoint is written before the oldest goes, so
there is one more than \`keep\` says. A run that fills the disk ends at that save.`,
  fix: "Keep fewer, `keep = last(2)`, save to a store, or take a larger disk.",
});

export const checkpointRare = define<{ stage: string; failures: string; work: string; saved: string }>({
  code: "cdr/checkpoint-rare",
  severity: "warning",
  message: ({ stage, failures, work, saved }) =>
    `\`${stage}\` trains for ${work}, in which some ${failures} failures are to be expected, and ${saved}: they would take more time than the training`,
  explanation: `Machines fail: Llama 3 was interrupted 419 times in 54 days of 16,384 GPUs (arXiv 2407.21783, section 3.3.4), and plans assume that
rate. A failure sends a run back to its last checkpoint, or to its start if there is none. The lost time grows exponentially with the number of failures
expected between two checkpoints (Daly 2006), so a run with several hardly ever finishes. Hours, cost and energy of such a plan are shown without it.`,
  fix: "Save more often, `checkpoint { every = … }`, and let the stage go on from there: `resume = exact`.",
});

export const runEndless = define<{ stage: string; what: string }>({
  code: "cdr/run-endless",
  severity: "warning",
  message: ({ stage, what }) => `\`${stage}\` never ends: ${what}`,
  explanation: `A step that takes more than a month, or a run of more than a century, has a number or a unit that nobody meant: samples where tokens were
thought of, or a length for another cluster. The plan is shown all the same.`,
  fix: "Check the number and its unit (`batch = 4M tokens`, `length = 300B tokens`), or take more devices.",
});

export const expectNever = define<{ condition: string; at: number; steps: number }>({
  code: "cdr/expect-never",
  severity: "warning",
  message: ({ condition, at, steps }) =>
    `\`expect ${condition}\` is never asked: it waits for step ${at}, and the stage ends after ${counted(steps, "step")}`,
  explanation: `\`loss.at(5000 steps)\` is the loss at that step, so what is expected of it is asked there. A stage that ends before it would
end well whatever its loss is.`,
  fix: "Name a step that the stage takes, or drop the `at`.",
});

export const expectImpossible = define<{ condition: string; why: string }>({
  code: "cdr/expect-impossible",
  severity: "error",
  message: ({ condition, why }) => `\`expect ${condition}\` can never hold: ${why}`,
  explanation: `What is expected of a run must be possible: a share is at most 100 %, the entropy of a router at most the logarithm of its
experts (3 bits for 8 of them), and no device computes faster than its peak.`,
  fix: "Write a condition that can hold, inside the limit that the message names.",
});

export const expectCertain = define<{ condition: string; why: string }>({
  code: "cdr/expect-certain",
  severity: "warning",
  message: ({ condition, why }) => `\`expect ${condition}\` always holds, so it watches nothing: ${why}`,
  explanation: `A limit outside what a measurement can be is usually a slip: \`utilization <= 500%\` where \`50%\` was meant, or a sign too many.`,
  fix: "Write a limit inside the range that the message names, or leave the expectation out.",
});

export const expectRollback = define<{ stage: string; why: string }>({
  code: "cdr/expect-rollback",
  severity: "error",
  message: ({ stage, why }) => `stage \`${stage}\` has no checkpoint to go back to: ${why}`,
  explanation: `\`else rollback(to = last)\` takes a run back to a checkpoint that it saved on its way. A stage saves on its way where it has
\`checkpoint { every = … }\`; without that it saves at its end alone.`,
  fix: "Add `checkpoint { every = 500 steps }` to the stage, or write `else stop`.",
});

export const objectiveData = define<{ what: string; needs: string; data: string; format: string }>({
  code: "cdr/objective-data",
  severity: "error",
  message: ({ what, needs, data, format }) => `${what} needs ${needs}, and ${data} is read ${format}`,
  explanation: `\`dpo\` compares an answer that was preferred with one that was not, and \`over = answers\` leaves out what is no answer. Plain text has
neither: the \`format\` of the data says where its rows have them.`,
  fix: "Say with `format` of the data what its rows hold, or leave the objective out.",
});

export const objectiveHorizon = define<{ horizon: number; context: number }>({
  code: "cdr/objective-horizon",
  severity: "error",
  message: ({ horizon, context }) =>
    `an answer of up to ${horizon} tokens leaves no room for its prompt in a context of ${context} tokens`,
  explanation: `A prompt and the answer to it are one sequence, which the stage's \`context\` (the model's, where it says none) must hold.
\`horizon\` is the longest answer.`,
  fix: "Shorten `horizon`, or give the stage or its model a longer `context`.",
});

export const budgetExceeded = define<{ what: string; estimate: string; bound: string }>({
  code: "cdr/budget-exceeded",
  severity: "error",
  message: ({ what, estimate, bound }) => `the ${what} is about ${estimate}, and ${bound} is allowed`,
  explanation: `\`cost <= …\` and \`time <= …\` bound what a stage may take; they are compared with the plan before it starts. If the estimate may be off by more than the difference, this is a warning.`,
  fix: "Shorten `length`, use more or faster devices, or allow more.",
});

export const batchTuned = define<{ does: string; ranks: number; source: string }>({
  code: "cdr/batch-tuned",
  severity: "error",
  message: ({ does, ranks, source }) =>
    `the stage ${does} and leaves \`batch\` open: the law that sizes one is of models trained from nothing; others took as \`valid\` says (${source})${ranks > 1 ? `, in multiples of ${ranks} ranks` : ""}`,
  explanation: `Where \`batch\` is left out, the compute of the stage sizes it (DeepSeek LLM, arXiv 2401.02954). That law was measured while models were
trained from random weights on text without end. A fine-tuning, preferences, rewards and adapters see little data, and the best batch depends on
that data: it is a decision of yours, like the rate.`,
  fix: "Write `batch`, for instance a value that `valid` lists.",
});
