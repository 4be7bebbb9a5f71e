import type { BlockKind, Property, Type } from "../../dsl/kind.ts";
import {
  block,
  bool,
  choice,
  enumeration,
  formula,
  handle,
  integer,
  list,
  noneType,
  number,
  path,
  quantity,
  secret,
  share,
  string,
  union,
} from "../../dsl/types/type.ts";
import { rawKind } from "./raw.ts";
import { stagePlanValue } from "./stage-derived.ts";

const period: Type = quantity([{ step: 1 }, { token: 1 }, { second: 1 }], { min: 0 });
const spanOfSteps: Type = quantity([{ step: 1 }, { token: 1 }, {}], { min: 0, percent: "the run" });

const optimizers: Type = choice("optimizer", {
  adamw: {
    doc: "Adam with decoupled weight decay (Loshchilov & Hutter 2019)",
    parameters: {
      lr: { type: number({ min: 0 }), doc: "peak learning rate", required: true },
      betas: {
        type: list(number({ min: 0, max: 1 }), 2),
        doc: "decay of the first and second moment",
        default: "[0.9, 0.95]",
      },
      eps: { type: number({ min: 0 }), doc: "added to the root of the second moment", default: "1e-8" },
      weight_decay: { type: number({ min: 0 }), doc: "on matrices only", default: "0.1" },
    },
  },
});

const warmup: Property = {
  type: spanOfSteps,
  doc: "the rate rises linearly from zero over this",
  default: "0 steps",
};
const to: Property = { type: share("the peak rate"), doc: "where it ends", default: "0%" };

const schedules: Type = choice("schedule", {
  cosine: { doc: "half a cosine from the peak to `to` (Loshchilov & Hutter 2017)", parameters: { warmup, to } },
  linear: { doc: "a straight line from the peak to `to`", parameters: { warmup, to } },
  constant: { doc: "the peak throughout", parameters: { warmup } },
  wsd: {
    doc: "warm-up, stable, decay: the peak, then a straight line to `to` at the end",
    parameters: { warmup, cooldown: { type: spanOfSteps, doc: "length of the decay", default: "20%" }, to },
  },
});

const keeps: Type = union(
  enumeration("retention", ["all"]),
  integer({ min: 1 }),
  list(
    choice("retention", {
      last: {
        doc: "the newest ones",
        parameters: { count: { type: integer({ min: 1 }), doc: "how many", required: true } },
        positional: ["count"],
      },
      best: {
        doc: "the one with the lowest",
        parameters: { metric: { type: formula, doc: "metric: `val.loss`", required: true } },
        positional: ["metric"],
      },
    }),
  ),
);

const trackers: Type = list(
  choice("tracker", {
    console: { doc: "the terminal", parameters: {} },
    tensorboard: { doc: "TensorBoard event files in the run directory", parameters: {} },
    wandb: {
      doc: "Weights & Biases",
      parameters: {
        project: { type: string, doc: "its project", default: '"cdr"' },
        key: { type: secret, doc: "its key" },
      },
    },
  }),
);

const pin = (values: Type, doc: string): Property => ({ type: values, doc, bounded: true });
const degree = (doc: string): Property => pin(integer({ min: 1 }), doc);

const layout: BlockKind = {
  name: "layout",
  doc: "How the work is laid out: a value pins, a bound guides the planner",
  properties: {
    micro_batch: pin(quantity([{ sample: 1 }], { integer: true, min: 1 }), "samples per rank and forward pass"),
    zero_stage: pin(
      integer({ min: 0, max: 3 }),
      "what ZeRO shards: 0 nothing, 1 optimizer states, 2 and gradients, 3 and weights",
    ),
    recompute: pin(
      enumeration("recomputation", ["none", "selective", "full"]),
      "activations computed twice instead of kept",
    ),
    offload: pin(union(noneType, enumeration("offload", ["optimizer", "all"])), "what lives in host memory"),
    data_parallel: degree("replicas"),
    tensor_parallel: degree("ranks that share each matrix"),
    pipeline_parallel: degree("ranks that share the layers"),
    context_parallel: degree("ranks that share a sequence"),
    expert_parallel: degree("ranks that share the experts"),
    sequence_parallel: pin(bool, "norms and dropout sharded along the sequence"),
  },
  foreign: {
    gradient_accumulation_steps: { instead: "accumulation is derived: `batch` / (`micro_batch` x ranks)" },
    accumulation: { instead: "accumulation is derived: `batch` / (`micro_batch` x ranks)" },
    world_size: { instead: "the world is derived from the cluster's nodes and GPUs" },
    micro_batch_size: { instead: "write `micro_batch`", rewrite: (v) => `micro_batch = ${v} samples` },
  },
};

const evaluation: BlockKind = {
  name: "eval",
  doc: "Loss on the validation split while training",
  properties: {
    every: { type: period, doc: "how often", required: true },
    length: {
      type: quantity([{ batch: 1 }, { sample: 1 }], { integer: true, min: 1 }),
      doc: "how much of the split; all of it by default",
    },
  },
};

const log: BlockKind = {
  name: "log",
  doc: "What is recorded while training",
  properties: {
    every: { type: quantity([{ step: 1 }], { integer: true, min: 1 }), doc: "how often", required: true },
  },
};

const checkpoint: BlockKind = {
  name: "checkpoint",
  doc: "What is saved, and what of it is kept",
  properties: {
    every: { type: period, doc: "how often; at the end always" },
    keep: { type: keeps, doc: "what stays: `last(3)`, `best(val.loss)`, `all`", default: "[last(3)]" },
    to: { type: path, doc: "root of run directories; `<step>/<run id>` is appended" },
  },
  foreign: {
    save_total_limit: { instead: "write `keep = last(n)`", rewrite: (v) => `keep = last(${v})` },
    save_steps: { instead: "write `every = n steps`", rewrite: (v) => `every = ${v} steps` },
  },
};

const alwaysDerived = "accumulation is derived from `batch`, `layout { micro_batch }` and the ranks";

/** A switch that is written to be off. */
const isOff = (written: string): boolean => /^(false|False|no|off|0|none|None)$/.test(written);

export const stage: BlockKind = {
  name: "stage",
  doc: "Training: a model, data, and how long",
  properties: {
    model: { type: block("model"), doc: "what is trained", required: true },
    data: { type: block("data"), doc: "what it is trained on", required: true },
    from: { type: handle(["stage"], ["last", "best"]), doc: "where weights come from: `pretrain.last`" },
    engine: {
      type: enumeration("engine", ["torch", "deepspeed"]),
      doc: "what runs it; chosen by what the layout asks for",
    },
    context: {
      type: quantity([{ token: 1 }], { integer: true, min: 2 }),
      doc: "length of training sequences; the model's context by default",
      binary: true,
    },
    length: {
      type: quantity([{ token: 1 }, { step: 1 }, { sample: 1 }, { epoch: 1 }], { min: 0 }),
      doc: "how long: tokens, steps, samples or epochs",
      required: true,
    },
    batch: {
      type: quantity([{ sample: 1 }, { token: 1 }], { integer: true, min: 1 }),
      doc: "what one optimizer step sees, over all ranks",
      required: true,
    },
    optimizer: { type: optimizers, doc: "how weights move", required: true },
    schedule: { type: schedules, doc: "a factor on the learning rate over the run", default: "constant" },
    loss: {
      type: enumeration("loss", ["cross_entropy", "causal"]),
      doc: "what is minimised",
      default: "cross_entropy",
    },
    clip: { type: number({ min: 0 }), doc: "largest norm of the gradient; `none` for no limit", default: "1.0" },
    precision: {
      type: enumeration("precision", ["fp32", "bf16", "fp16"]),
      doc: "arithmetic; bf16 on a GPU, fp32 on a CPU by default",
    },
    attention: {
      type: enumeration("attention", ["sdpa", "eager", "flash"]),
      doc: "implementation of attention",
      default: "sdpa",
    },
    compile: { type: bool, doc: "torch.compile", default: "false" },
    seed: { type: integer({ min: 0 }), doc: "of initial weights, shuffling and dropout", default: "42" },
    determinism: {
      type: enumeration("determinism", ["default", "bitwise"]),
      doc: "whether only deterministic kernels may run",
      default: "default",
    },
    resume: {
      type: enumeration("resumption", ["exact", "weights", "never"]),
      doc: "how a stopped run goes on",
      default: "exact",
    },
    track: { type: trackers, doc: "where metrics are sent", default: "[console]" },
    project: { type: string, doc: "a name that groups runs in trackers" },
  },
  blocks: { layout, eval: evaluation, log, checkpoint },
  nested: { raw: rawKind },
  step: true,
  handles: ["last", "best"],
  clauses: ["after", "on"],
  derived: {
    steps: { doc: "optimizer steps", compute: (block) => stagePlanValue(block, "total.steps") },
    tokens: { doc: "tokens seen in all", compute: (block) => stagePlanValue(block, "total.tokens") },
    plan: {
      doc: "estimates: `memory.peak`, `tokens_per_second`, …",
      compute: (block) => stagePlanValue(block, "plan"),
    },
  },
  foreign: {
    max_steps: { instead: "write `length = n steps`", rewrite: (v) => `length = ${v} steps` },
    num_train_epochs: { instead: "write `length = n epochs`", rewrite: (v) => `length = ${v} epochs` },
    train_iters: { instead: "write `length = n steps`", rewrite: (v) => `length = ${v} steps` },
    steps: { instead: "write `length = n steps`", rewrite: (v) => `length = ${v} steps` },
    epochs: { instead: "write `length = n epochs`", rewrite: (v) => `length = ${v} epochs` },
    bf16: {
      instead: "write `precision = bf16`, or `fp32` where it is off",
      rewrite: (v) => `precision = ${isOff(v) ? "fp32" : "bf16"}`,
    },
    fp16: {
      instead: "write `precision = fp16`, or `fp32` where it is off",
      rewrite: (v) => `precision = ${isOff(v) ? "fp32" : "fp16"}`,
    },
    dtype: { instead: "write `precision`", rewrite: (v) => `precision = ${v}` },
    lr: { instead: "the rate belongs to the optimizer: `optimizer = adamw(lr = …)`" },
    learning_rate: { instead: "the rate belongs to the optimizer: `optimizer = adamw(lr = …)`" },
    weight_decay: { instead: "it belongs to the optimizer: `optimizer = adamw(weight_decay = …)`" },
    warmup_ratio: { instead: "it belongs to the schedule: `schedule = cosine(warmup = 3%)`" },
    warmup_steps: { instead: "it belongs to the schedule: `schedule = cosine(warmup = 100 steps)`" },
    lr_scheduler_type: { instead: "write `schedule = cosine(…)`" },
    save_total_limit: {
      instead: "write `checkpoint { keep = last(n) }`",
      rewrite: (v) => `checkpoint { keep = last(${v}) }`,
    },
    save_steps: {
      instead: "write `checkpoint { every = n steps }`",
      rewrite: (v) => `checkpoint { every = ${v} steps }`,
    },
    eval_steps: { instead: "write `eval { every = n steps }`", rewrite: (v) => `eval { every = ${v} steps }` },
    logging_steps: { instead: "write `log { every = n steps }`", rewrite: (v) => `log { every = ${v} steps }` },
    gradient_accumulation_steps: { instead: alwaysDerived },
    per_device_train_batch_size: {
      instead: "write `layout { micro_batch = n samples }`",
      rewrite: (v) => `layout { micro_batch = ${v} samples }`,
    },
    micro_batch: {
      instead: "it belongs to the layout: `layout { micro_batch = n samples }`",
      rewrite: (v) => `layout { micro_batch = ${v} }`,
    },
    zero_stage: {
      instead: "it belongs to the layout: `layout { zero_stage = n }`",
      rewrite: (v) => `layout { zero_stage = ${v} }`,
    },
    global_batch: { instead: "write `batch`", rewrite: (v) => `batch = ${v}` },
    batch_size: { instead: "write `batch = n samples`", rewrite: (v) => `batch = ${v} samples` },
    max_grad_norm: { instead: "write `clip`", rewrite: (v) => `clip = ${v}` },
    gradient_clipping: { instead: "write `clip`", rewrite: (v) => `clip = ${v}` },
    depends_on: { instead: "references are the order; `after` stands in the header: `stage b after a { … }`" },
    gradient_checkpointing: {
      instead: "write `layout { recompute = full }`, or `none` where it is off",
      rewrite: (v) => `layout { recompute = ${isOff(v) ? "none" : "full"} }`,
    },
  },
};
