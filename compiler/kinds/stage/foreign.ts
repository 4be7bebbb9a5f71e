/** What other trainers call the settings of a stage. */
import type { BlockKind } from "../../../dsl/kind.ts";

const alwaysDerived = "accumulation is derived from `batch`, `layout { micro_batch }` and the ranks";

/** A switch that is written to be off. */
const isOff = (written: string): boolean => /^(false|False|no|off|0|none|None)$/.test(written);

export const foreign: BlockKind["foreign"] & {} = {
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
};
