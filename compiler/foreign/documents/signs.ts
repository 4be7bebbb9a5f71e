/** By which keys configurations of other tools are known. */
import type { DocumentKind } from "./kinds.ts";

/** Keys that no other kind has, and those that only add weight. */
export interface Signs {
  readonly sure: readonly string[];
  readonly likely: readonly string[];
}

export const signs: Readonly<Record<DocumentKind, Signs>> = {
  kubernetes: { sure: ["apiVersion"], likely: ["kind", "metadata", "spec"] },
  "gpt-neox": {
    sure: [
      "pipe_parallel_size",
      "pipe-parallel-size",
      "model-parallel-size",
      "model_parallel_size",
      "checkpoint-factor",
      "checkpoint_factor",
      "data_impl",
      "data-impl",
      "vocab-file",
      "merge-file",
      "merge_file",
      "text_gen_type",
    ],
    likely: [
      "data_path",
      "data-path",
      "train_micro_batch_size_per_gpu",
      "zero_optimization",
      "num-layers",
      "num_layers",
      "fp16",
      "train-iters",
      "train_iters",
      "save-interval",
    ],
  },
  deepspeed: {
    sure: [
      "train_micro_batch_size_per_gpu",
      "zero_optimization",
      "zero_allow_untested_optimizer",
      "wall_clock_breakdown",
      "steps_per_print",
      "activation_checkpointing",
    ],
    likely: [
      "train_batch_size",
      "gradient_accumulation_steps",
      "fp16",
      "bf16",
      "gradient_clipping",
      "optimizer",
      "scheduler",
    ],
  },
  accelerate: {
    sure: [
      "distributed_type",
      "compute_environment",
      "main_training_function",
      "main_process_port",
      "num_machines",
      "machine_rank",
    ],
    likely: ["num_processes", "mixed_precision", "deepspeed_config", "fsdp_config", "use_cpu"],
  },
  axolotl: {
    sure: ["base_model", "sequence_len", "sample_packing", "base_model_config"],
    likely: [
      "micro_batch_size",
      "datasets",
      "adapter",
      "gradient_accumulation_steps",
      "num_epochs",
      "val_set_size",
      "output_dir",
    ],
  },
  "llama-factory": {
    sure: ["finetuning_type", "cutoff_len", "stage", "use_unsloth"],
    likely: ["template", "dataset", "model_name_or_path", "do_train", "per_device_train_batch_size", "lora_target"],
  },
  "training-arguments": {
    sure: [
      "per_device_train_batch_size",
      "per_device_eval_batch_size",
      "num_train_epochs",
      "eval_strategy",
      "evaluation_strategy",
      "save_strategy",
      "load_best_model_at_end",
      "ddp_timeout",
      "lr_scheduler_type",
    ],
    likely: [
      "output_dir",
      "learning_rate",
      "fp16",
      "bf16",
      "deepspeed",
      "gradient_accumulation_steps",
      "max_steps",
      "save_steps",
      "eval_steps",
      "warmup_steps",
      "warmup_ratio",
    ],
  },
  nanotron: {
    sure: ["parallelism", "checkpoints"],
    likely: ["data_stages", "optimizer", "tokens", "model", "general"],
  },
  torchtitan: { sure: [], likely: [] },
  composer: {
    sure: ["global_train_batch_size", "device_train_microbatch_size"],
    likely: ["max_duration", "train_loader", "fsdp_config", "precision"],
  },
  submitit: {
    sure: ["timeout_min", "max_num_timeout", "submitit_folder", "tasks_per_node"],
    likely: ["nodes", "gpus_per_node", "partition", "signal_delay_s"],
  },
  lightning: { sure: [], likely: [] },
  nemo: { sure: [], likely: [] },
  fairchem: { sure: [], likely: [] },
  skypilot: { sure: [], likely: [] },
  torchtune: { sure: [], likely: [] },
  litgpt: { sure: [], likely: [] },
  fsdp: {
    sure: [
      "transformer_layer_cls_to_wrap",
      "fsdp_transformer_layer_cls_to_wrap",
      "min_num_params",
      "fsdp_min_num_params",
      "activation_checkpointing",
    ],
    likely: [
      "backward_prefetch",
      "forward_prefetch",
      "limit_all_gathers",
      "use_orig_params",
      "sync_module_states",
      "cpu_ram_efficient_loading",
      "fsdp_backward_prefetch",
      "xla",
    ],
  },
  model: {
    sure: ["architectures", "model_type"],
    likely: ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "torch_dtype"],
  },
  tokenizer: {
    sure: ["tokenizer_class", "added_tokens_decoder"],
    likely: ["pad_token", "eos_token", "model_max_length"],
  },
};

/** LLaMA-Factory takes all options of the Trainer beside its own, GPT-NeoX those of DeepSpeed; two of its own say that it is meant. */
export const heirs: Partial<Record<DocumentKind, Signs>> = {
  "llama-factory": signs["training-arguments"],
  "gpt-neox": signs.deepspeed,
};

/** Keys that stand in files of other trades too: what merges models has a `base_model`, what builds something has stages. */
export const shared: ReadonlySet<string> = new Set([
  "base_model",
  "base_model_config",
  "stage",
  "parallelism",
  "checkpoints",
  "vocab-file",
  "merge-file",
  "merge_file",
  "activation_checkpointing",
]);
