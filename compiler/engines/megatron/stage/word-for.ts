/** The property of a `.cdr` that says what a raw argument says. */
import type { Intent } from "../lower/intent.ts";

const words: Readonly<Record<string, (value: unknown) => string>> = {
  normalization: (value) => `norm = ${value === "RMSNorm" ? "rms" : "layer"} in the model`,
  swiglu: (value) =>
    (value === true ? "gated = true, activation = silu" : "gated = false, activation = gelu") + model,
  squared_relu: (value) => `activation = ${value === true ? "relu2" : "gelu"}${model}`,
  bias_gelu_fusion: (value) => `activation = ${value === true ? "gelu_tanh" : "gelu"}${model}`,
  position_embedding_type: (value) =>
    `positions = ${value === "learned_absolute" ? "learned" : String(value)}${model}`,
  use_rotary_position_embeddings: () => `positions = rope${model}`,
  untie_embeddings_and_output_weights: (value) => `tied = ${value === true ? "false" : "true"}${model}`,
  hidden_dropout: (value) => `dropout = ${Number(value ?? 0.1) * 100}%${model}`,
  attention_dropout: (value) => `dropout = ${Number(value ?? 0.1) * 100}%${model}`,
  add_bias_linear: (value) => `bias = ${String(value)}${model}`,
  add_qkv_bias: (value) => `qkv_bias = ${String(value)}${model}`,
  qk_layernorm: (value) => `qk_norm = ${String(value)}${model}`,
  window_size: (value) => `window = ${Array.isArray(value) ? Number(value[0]) + 1 : "none"}${model}`,
  multi_latent_attention: () => `family = deepseek_v2 or deepseek_v3${model}`,
  num_experts: () => `a family with experts, such as mixtral${model}`,
  optimizer: (value) => `optimizer = ${value === "sgd" ? "sgd" : value === "adam" ? "adamw" : "muon"}(…)`,
  fp8: () => "precision = fp8",
  fp4: () => "precision = fp4",
  bf16: (value) => `precision = ${value === true ? "bf16" : "fp32"}`,
  fp16: (value) => `precision = ${value === true ? "fp16" : "bf16"}`,
  fp8_recipe: (value) => `precision = fp8(recipe = ${String(value)})`,
  deterministic_mode: (value) => `determinism = ${value === true ? "bitwise" : "default"}`,
  use_distributed_optimizer: (value) => `zero_stage = ${value === true ? 1 : 0} in layout { }`,
  recompute_granularity: (value) => `recompute = ${value === null ? "none" : String(value)} in layout { }`,
  load: () => "resume = never, or from = STAGE.last to begin with its weights",
  save: (value) => (value === null ? "checkpoint = none" : "checkpoint { }"),
  finetune: () => "resume = never",
  ckpt_step: () => "resume = never",
  override_ckpt_iteration: () => "resume = never",
  no_save_optim: () => "resume = weights",
  no_save_rng: () => "resume = weights",
  no_load_optim: (value) => `resume = ${value === true ? "weights" : "exact"}`,
  no_load_rng: (value) => `resume = ${value === true ? "weights" : "exact"}`,
  log_interval: (value) => `log { every = ${String(value)} steps }`,
  save_interval: (value) => `checkpoint { every = ${String(value)} steps }`,
  eval_interval: (value) => `eval { every = ${String(value)} steps }`,
  clip_grad: (value) => `clip = ${value === 0 ? "none" : String(value)}`,
};

const model = " in the model";

/** Properties that decide more than a number of theirs. */
const several = new Set(["layout.recompute", "layout.offload", "model.moe.first_dense"]);

/** Numbers that their properties say as they are. */
const plain = new Set(["model", "layout", "optimizer", "seed"]);

/** `null` where the property that decides it has other units than the argument. */
export function wordFor({ dest, from }: Intent, value: unknown): string | null {
  const word = words[dest];
  if (word !== undefined) return word(value);
  const [group = "", ...rest] = from.split(".");
  if (several.has(from)) return null;
  if (!plain.has(group) || (typeof value !== "number" && typeof value !== "boolean")) return null;
  const name = rest.at(-1);
  if (group === "optimizer")
    return name === undefined || name === "betas" ? null : `${name} = ${value} in the optimizer`;
  if (name === undefined) return `${group} = ${value}`;
  return `${name} = ${value} ${group === "model" ? "in the model" : "in layout { }"}`;
}
