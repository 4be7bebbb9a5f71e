import type { BlockKind } from "../../dsl/kind.ts";
import {
  autoType,
  block,
  bool,
  choice,
  enumeration,
  handleOrAt,
  list,
  noneType,
  quantity,
  share,
  string,
  union,
} from "../../dsl/types/type.ts";
import { adapters } from "./adapters.ts";
import { trainingMetrics } from "./metrics.ts";
import { rawKind } from "./raw.ts";
import { checkpoint, ema } from "./stage/checkpoint.ts";
import { engine } from "./stage/engine.ts";
import { evaluation, log } from "./stage/evaluation.ts";
import { foreign } from "./stage/foreign.ts";
import { layout } from "./stage/layout.ts";
import { loss } from "./stage/losses.ts";
import { objectives } from "./stage/objectives.ts";
import { clipping, optimizers } from "./stage/optimizers.ts";
import { precisions } from "./stage/precisions.ts";
import { scalers } from "./stage/scalers.ts";
import { schedules } from "./stage/schedules.ts";
import { trackers } from "./stage/trackers.ts";
import { planFields } from "./plan-fields.ts";
import { chosenValue, contextValue, stagePlanValue } from "./stage-derived.ts";
import { costLimit, timeLimit } from "./limits.ts";
import { seed } from "./seed.ts";

export const stage: BlockKind = {
  name: "stage",
  also: [
    "train",
    "trainer",
    "training",
    "pretrain",
    "pretraining",
    "finetune",
    "finetuning",
    "sft",
    "run",
    "experiment",
  ],
  doc: "Training: a model, data, and how long",
  begins: ["batch", "schedule"],
  properties: {
    model: { type: block("model"), doc: "the model to train", required: true, follows: "from" },
    data: { type: block("data"), doc: "the training data", required: true },
    from: {
      type: handleOrAt(
        ["stage"],
        ["last", "best", "mean"],
        'Write where the published weights are in the model, `model mine extends … { from = "hf://owner/name" }`, and remove `from` from the stage.',
      ),
      doc: "the initial weights: `pretrain.last`; the model too, if none is written",
    },
    engine: {
      type: engine,
      doc: "the engine that runs it; by default the simplest one whose step takes at most a quarter longer than the fastest; the fastest if a bound of the stage or the cluster's `prefer` asks for it",
    },
    context: {
      type: quantity([{ token: 1 }], { integer: true, min: 2 }),
      doc: "length of training sequences; the model's context by default",
      binary: true,
    },
    length: {
      type: quantity([{ token: 1 }, { step: 1 }, { sample: 1 }, { epoch: 1 }], { min: 0, max: 1e16 }),
      doc: "how long: tokens, steps, samples or epochs",
      required: true,
    },
    batch: {
      type: union(quantity([{ sample: 1 }, { token: 1 }], { integer: true, min: 1, max: 1e12 }), autoType),
      doc: "samples or tokens of one optimizer step, over all ranks; for training from scratch, the default follows from the compute of the stage",
      bounded: true,
    },
    adapters: {
      type: union(noneType, adapters),
      doc: "small matrices that are trained instead of the weights",
    },
    freeze: {
      type: list(
        choice("freezing", {
          lower: {
            doc: "the layers nearest the input",
            parameters: {
              share: { type: share("the layers", { above: 0 }), doc: "share of the layers", required: true },
            },
            positional: ["share"],
          },
          embeddings: { doc: "the tables of tokens and positions", parameters: {} },
        }),
      ),
      doc: "weights that are not trained",
    },
    objective: { type: objectives, doc: "an objective in addition to the loss: `grpo(…)`", runs: false },
    loss: {
      type: loss,
      doc: "the formula to minimise: `cross_entropy + 0.01 * z_loss`",
      default: "cross_entropy",
    },
    optimizer: { type: optimizers, doc: "how weights are updated", required: true },
    schedule: { type: schedules, doc: "a factor on the learning rate over the run", default: "constant" },
    clip: { type: clipping, doc: "largest norm of the gradient; `none` for no limit", default: "1.0" },
    precision: {
      type: precisions,
      doc: "arithmetic; bf16 on a GPU, fp32 on a CPU by default",
    },
    scaler: {
      type: scalers,
      doc: "scale of the loss for fp16, whose small gradients would vanish; dynamic by default",
      runs: false,
    },
    matmul: {
      type: enumeration("precision of products", ["highest", "high", "medium"]),
      doc: "precision of fp32 products; GPUs run them in TF32 unless it is `highest` or `determinism = bitwise`",
      runs: false,
    },
    attention: {
      type: choice("attention", {
        sdpa: { doc: "PyTorch's, with the fastest available kernel", parameters: {} },
        eager: { doc: "one product after the other", parameters: {} },
        flash: { doc: "FlashAttention 2; GPUs from Ampere on, 16-bit values", parameters: {} },
      }),
      doc: "implementation of attention; your own is a plugin with `role = attention`",
      default: "sdpa",
    },
    compile: { type: bool, doc: "torch.compile", default: "false" },
    seed: seed("of initial weights, shuffling and dropout"),
    determinism: {
      type: enumeration("determinism", ["default", "bitwise"]),
      doc: "whether only deterministic kernels may run",
      default: "default",
    },
    resume: {
      type: enumeration("resumption", ["exact", "weights", "never"], { true: "exact", false: "never" }),
      doc: "how a stopped run resumes",
      default: "exact",
    },
    evals: {
      type: list(block("eval")),
      doc: "evaluations during training, each with its own period",
      runs: false,
    },
    track: { type: trackers, doc: "where metrics are sent", default: "[console]" },
    project: { type: string, doc: "a name that groups runs in trackers", runs: false },
    cost: costLimit("limit of its cost: `cost <= 2000 usd`"),
    time: timeLimit("limit of its duration: `time <= 3 d`"),
  },
  blocks: { layout, eval: evaluation, log, checkpoint, ema },
  nested: { raw: rawKind },
  step: true,
  watches: trainingMetrics,
  handles: ["last", "best", "mean"],
  foreignHandles: {
    final: "last",
    latest: "last",
    end: "last",
    weights: "last",
    output: "last",
    result: "last",
    ema: "mean",
    average: "mean",
  },
  at: quantity([{ step: 1 }], { integer: true, min: 1 }),
  clauses: ["after", "on"],
  derived: {
    batch: { doc: "samples of an optimizer step", compute: (block) => stagePlanValue(block, "batch") },
    context: { doc: "length of training sequences", compute: contextValue },
    engine: { doc: "the engine that runs it", compute: (block) => chosenValue(block, "engine") },
    precision: { doc: "arithmetic of its products", compute: (block) => chosenValue(block, "precision") },
    steps: { doc: "optimizer steps", compute: (block) => stagePlanValue(block, "total.steps") },
    tokens: { doc: "total training tokens", compute: (block) => stagePlanValue(block, "total.tokens") },
    plan: {
      doc: "estimates: `memory.peak`, `tokens_per_second`, …",
      fields: planFields,
      compute: (block) => stagePlanValue(block, "plan"),
    },
  },
  foreign,
};
