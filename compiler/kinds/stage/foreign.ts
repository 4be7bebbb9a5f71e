/** What other trainers call the settings of a stage. */
import type { BlockKind } from "../../../dsl/kind.ts";

const alwaysDerived = "accumulation is derived from `batch`, `layout { micro_batch }` and the ranks";

/** A switch that is written to be off. */
const isOff = (written: string): boolean => /^(false|False|no|off|0|none|None)$/.test(written);

const context = { instead: "write `context = n tokens`", rewrite: (v: string) => `context = ${v} tokens` };
const batch = { instead: "write `batch = n samples`", rewrite: (v: string) => `batch = ${v} samples` };
const microBatch = {
  instead: "write `layout { micro_batch = n samples }`",
  rewrite: (v: string) => `layout { micro_batch = ${v} samples }`,
};
const every = (group: string) => ({
  instead: `write \`${group} { every = n steps }\``,
  rewrite: (v: string) => `${group} { every = ${v} steps }`,
});
const layout = (name: string) => ({
  instead: `it belongs to the layout: \`layout { ${name} = n }\``,
  rewrite: (v: string) => `layout { ${name} = ${v} }`,
});
const sharded = "write `layout { zero_stage = n }`: 1 shards optimizer states, 2 gradients too, 3 weights too";
const optimizer = (name: string) => ({ instead: `it belongs to the optimizer: \`optimizer = adamw(${name} = …)\`` });

const inSteps = { instead: "write `length = n steps`", rewrite: (v: string) => `length = ${v} steps` };
const rate = {
  instead: "the rate belongs to the optimizer: `optimizer = adamw(lr = …)`",
  rewrite: (v: string) => `optimizer = adamw(lr = ${v})`,
};
const scheduled = {
  instead: "write `schedule = cosine(…)`",
  rewrite: (v: string) =>
    `schedule = ${v.includes("(") ? v : (/linear|constant|inverse_sqrt/.exec(v)?.[0] ?? "cosine")}`,
};
/** `adamw_torch`, `paged_adamw_8bit`, `AdamW`. */
const optimizerOf = (written: string): string =>
  /adamw|adafactor|lion|muon|sgd/.exec(written.toLowerCase())?.[0] ?? written.replaceAll('"', "");
const objective = (form: string) => ({ instead: `it belongs to the objective: \`objective = ${form}\`` });
const reward = objective("grpo(reward = …)");
const group = objective("grpo(group = n)");

export const foreign: BlockKind["foreign"] & {} = {
  seq_len: context,
  seq_length: context,
  sequence_length: context,
  max_seq_length: context,
  max_length: context,
  block_size: context,
  max_iters: { instead: "write `length = n steps`", rewrite: (v) => `length = ${v} steps` },
  num_epochs: { instead: "write `length = n epochs`", rewrite: (v) => `length = ${v} epochs` },
  train_batch_size: batch,
  global_batch_size: batch,
  micro_batch_size: microBatch,
  device_batch_size: microBatch,
  train_micro_batch_size_per_gpu: microBatch,
  reward,
  rewards: reward,
  reward_fn: reward,
  reward_funcs: reward,
  num_generations: group,
  group_size: group,
  kl_coef: objective("grpo(kl = …)"),
  beta: objective("dpo(beta = …)"),
  teacher: objective("distill(teacher = …)"),
  save_interval: every("checkpoint"),
  eval_interval: every("eval"),
  validation: { instead: "write `eval { every = n steps }`" },
  log_interval: every("log"),
  betas: optimizer("betas"),
  eps: optimizer("eps"),
  adam_beta1: optimizer("betas"),
  adam_beta2: optimizer("betas"),
  adam_epsilon: optimizer("eps"),
  min_lr: { instead: "it belongs to the schedule, as a share of the rate: `schedule = cosine(to = 10%)`" },
  warmup: { instead: "it belongs to the schedule: `schedule = cosine(warmup = 100 steps)`" },
  optim: { instead: "write `optimizer = adamw(lr = …)`", rewrite: (v) => `optimizer = ${optimizerOf(v)}` },
  lr_scheduler: scheduled,
  grad_clip: { instead: "write `clip`", rewrite: (v) => `clip = ${v}` },
  clip_grad: { instead: "write `clip`", rewrite: (v) => `clip = ${v}` },
  mixed_precision: {
    instead: "write `precision = bf16`",
    rewrite: (v) => `precision = ${isOff(v.replaceAll('"', "")) ? "fp32" : v.replaceAll('"', "")}`,
  },
  torch_compile: { instead: "write `compile`", rewrite: (v) => `compile = ${v}` },
  report_to: {
    instead: "write `track = [console, tensorboard]`",
    rewrite: (v) => `track = [${["console", ...(/wandb|tensorboard|mlflow/.exec(v) ?? [])].join(", ")}]`,
  },
  ...Object.fromEntries(
    ["for_each", "count", "matrix"].map((name) => [
      name,
      { instead: "a sweep runs a stage more than once: `sweep seeds { stage = pretrain, vary { seed in 1..3 } }`" },
    ]),
  ),
  output_dir: { instead: "write `checkpoint { to = … }`", rewrite: (v) => `checkpoint { to = ${v} }` },
  resume_from_checkpoint: { instead: "a run resumes by itself; `resume = exact | weights | never` says how" },
  deepspeed: { instead: "write `engine = deepspeed`, and the layout: `layout { zero_stage = n }`" },
  cluster: {
    instead: "a launch places the stages on it, at the top of the file: `launch hpc on pod { target = slurm() }`",
  },
  nodes: { instead: "the cluster sets it: `cluster pod { nodes = … }`, `launch hpc on pod`" },
  gpus: { instead: "the cluster sets it: `cluster pod { node { gpus = … } }`, `launch hpc on pod`" },
  max_steps: inSteps,
  num_train_epochs: { instead: "write `length = n epochs`", rewrite: (v) => `length = ${v} epochs` },
  train_iters: inSteps,
  steps: inSteps,
  num_steps: inSteps,
  total_steps: inSteps,
  train_steps: inSteps,
  num_train_steps: inSteps,
  epochs: { instead: "write `length = n epochs`", rewrite: (v) => `length = ${v} epochs` },
  bf16: {
    instead: "write `precision = bf16`, or `fp32` if it is off",
    rewrite: (v) => `precision = ${isOff(v) ? "fp32" : "bf16"}`,
  },
  fp16: {
    instead: "write `precision = fp16`, or `fp32` if it is off",
    rewrite: (v) => `precision = ${isOff(v) ? "fp32" : "fp16"}`,
  },
  dtype: { instead: "write `precision`", rewrite: (v) => `precision = ${v}` },
  lr: rate,
  learning_rate: rate,
  weight_decay: { instead: "it belongs to the optimizer: `optimizer = adamw(weight_decay = …)`" },
  warmup_ratio: { instead: "it belongs to the schedule: `schedule = cosine(warmup = 3%)`" },
  warmup_steps: { instead: "it belongs to the schedule: `schedule = cosine(warmup = 100 steps)`" },
  lr_scheduler_type: scheduled,
  base_model: { instead: "write `model`", rewrite: (v) => `model = ${v}` },
  save_total_limit: {
    instead: "write `checkpoint { keep = last(n) }`",
    rewrite: (v) => `checkpoint { keep = last(${v}) }`,
  },
  save_steps: every("checkpoint"),
  eval_steps: every("eval"),
  logging_steps: every("log"),
  gradient_accumulation_steps: { instead: alwaysDerived },
  gradient_accumulation: { instead: alwaysDerived },
  accumulate_grad_batches: { instead: alwaysDerived },
  accumulation_steps: { instead: alwaysDerived },
  accumulation: { instead: alwaysDerived },
  grad_accum: { instead: alwaysDerived },
  grad_accum_steps: { instead: alwaysDerived },
  fsdp: { instead: sharded, rewrite: (v) => `layout { zero_stage = ${isOff(v) ? 0 : 3} }` },
  zero: { instead: sharded },
  zero_optimization: { instead: sharded },
  ddp: { instead: "replicas are the default; `layout { data_parallel = n }` pins how many" },
  dp: layout("data_parallel"),
  tp: layout("tensor_parallel"),
  tp_size: layout("tensor_parallel"),
  tensor_parallel: layout("tensor_parallel"),
  tensor_parallel_size: layout("tensor_parallel"),
  tensor_model_parallel_size: layout("tensor_parallel"),
  pp: layout("pipeline_parallel"),
  pp_size: layout("pipeline_parallel"),
  pipeline_parallel: layout("pipeline_parallel"),
  pipeline_parallel_size: layout("pipeline_parallel"),
  pipeline_model_parallel_size: layout("pipeline_parallel"),
  cp: layout("context_parallel"),
  context_parallel: layout("context_parallel"),
  context_parallel_size: layout("context_parallel"),
  ep: layout("expert_parallel"),
  expert_parallel: layout("expert_parallel"),
  expert_model_parallel_size: layout("expert_parallel"),
  etp: layout("expert_tensor_parallel"),
  expert_tensor_parallel: layout("expert_tensor_parallel"),
  expert_tensor_parallel_size: layout("expert_tensor_parallel"),
  sequence_parallel: layout("sequence_parallel"),
  world_size: {
    instead: "the number of ranks follows from the cluster: `cluster pod { nodes = 2, node { gpus = 8 } }`",
  },
  per_device_train_batch_size: microBatch,
  micro_batch: {
    instead: "it belongs to the layout: `layout { micro_batch = n samples }`",
    rewrite: (v) => `layout { micro_batch = ${v} }`,
  },
  zero_stage: {
    instead: "it belongs to the layout: `layout { zero_stage = n }`",
    rewrite: (v) => `layout { zero_stage = ${v} }`,
  },
  global_batch: { instead: "write `batch`", rewrite: (v) => `batch = ${v}` },
  batch_size: batch,
  max_grad_norm: { instead: "write `clip`", rewrite: (v) => `clip = ${v}` },
  gradient_clipping: { instead: "write `clip`", rewrite: (v) => `clip = ${v}` },
  gradient_checkpointing: {
    instead: "write `layout { recompute = full }`, or `none` if it is off",
    rewrite: (v) => `layout { recompute = ${isOff(v) ? "none" : "full"} }`,
  },
};
