import type { Base } from "./step.ts";

const common =
  "--num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 " +
  "--micro-batch-size 1 --global-batch-size 16 --train-iters 100 --lr 1e-4 --lr-decay-style cosine --bf16 " +
  "--tokenizer-type NullTokenizer --vocab-size 50257 --mock-data --disable-bias-linear --transformer-impl transformer_engine";

const experts =
  "--num-experts 8 --moe-router-topk 2 --expert-model-parallel-size 2 --moe-token-dispatcher-type alltoall --moe-aux-loss-coeff 0.01";

const stack = "--spec megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec";

const hybrid = `${common} --hybrid-layer-pattern M-M-M*-M-M-M --position-embedding-type none`;

/** Small launches for eight ranks: what a rule's examples are laid over. Only those that lack something are refused. */
export const bases: Readonly<Record<Base, string>> = {
  gpt: common,
  fp32: common.replace(" --bf16", ""),
  local: common.replace("--transformer-impl transformer_engine", "--transformer-impl local"),
  samples: common.replace("--train-iters 100", "--train-samples 1600"),
  scheduled: common.replace("--global-batch-size 16", "--step-batch-size-schedule 0:16"),
  lengthless: common.replace("--train-iters 100 ", ""),
  sizeless: common.replace(/--(?:hidden-size|num-attention-heads|max-position-embeddings) \d+ /g, ""),
  wordless: common.replace("--tokenizer-type NullTokenizer --vocab-size 50257 ", ""),
  unmocked: common.replace(" --mock-data", ""),
  biased: common.replace(" --disable-bias-linear", ""),
  moe: `${common} ${experts}`,
  moeBiased: `${common.replace(" --disable-bias-linear", "")} ${experts}`,
  hybrid: `${hybrid} ${stack}`,
  patternless: `${common} ${stack} --position-embedding-type none`,
  specless: hybrid,
  rl: `${common} --perform-rl-step --grpo-prompts-per-step 8 --grpo-group-size 4 --micro-batch-size 1`,
};
