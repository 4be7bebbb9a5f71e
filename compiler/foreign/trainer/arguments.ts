import { trainerChanges } from "../known/trainer-versions.ts";
import types from "./types.json" with { type: "json" };

/** Source: transformers 5.23, training_args.py: TrainingArguments; training_args_seq2seq.py: Seq2SeqTrainingArguments. */
const now = `accelerator_config activation_checkpointing activation_checkpointing_kwargs adam_beta1 adam_beta2 adam_epsilon
  auto_find_batch_size average_tokens_across_devices batch_eval_metrics bf16 bf16_full_eval data_seed dataloader_drop_last
  dataloader_in_order dataloader_multiprocessing_context dataloader_num_workers dataloader_persistent_workers
  dataloader_pin_memory dataloader_prefetch_factor ddp_backend ddp_broadcast_buffers ddp_bucket_cap_mb
  ddp_find_unused_parameters ddp_static_graph ddp_timeout debug deepspeed disable_tqdm do_eval do_predict do_train
  enable_jit_checkpoint eval_accumulation_steps eval_delay eval_do_concat_batches eval_on_start eval_steps eval_strategy
  eval_use_gather_object fp16 fp16_full_eval fsdp fsdp_config full_determinism generation_config generation_max_length
  generation_num_beams gradient_accumulation_steps gradient_checkpointing gradient_checkpointing_kwargs greater_is_better
  hub_always_push hub_model_id hub_private_repo hub_revision hub_strategy hub_token ignore_data_skip include_for_metrics
  include_num_input_tokens_seen label_names label_smoothing_factor learning_rate length_column_name liger_kernel_config
  load_best_model_at_end local_rank log_level log_level_replica log_on_each_node logging_first_step logging_nan_inf_filter
  logging_steps logging_strategy lr_scheduler_kwargs lr_scheduler_type max_grad_norm max_steps metric_for_best_model
  neftune_noise_alpha num_train_epochs optim optim_args optim_target_modules output_dir parallelism_config
  per_device_eval_batch_size per_device_train_batch_size predict_with_generate prediction_loss_only project push_to_hub
  remove_unused_columns report_to restore_callback_states_from_checkpoint resume_from_checkpoint run_name save_on_each_node
  save_only_model save_steps save_strategy save_total_limit seed skip_memory_metrics sortish_sampler tf32 torch_compile
  torch_compile_backend torch_compile_mode torch_empty_cache_steps trackio_bucket_id trackio_space_id
  trackio_static_space_id train_sampling_strategy use_cache use_cpu use_liger_kernel warmup_steps weight_decay`;

/** Arguments of earlier versions than any that is known release by release. */
const before = `bf16_backend do_not_save evaluate_during_training`;

const words = (text: string): readonly string[] => text.split(/\s+/);

/** What transformers' Trainer takes. */
export const trainerArguments = words(now);

export const earlierTrainerArguments: ReadonlySet<string> = new Set([...words(before), ...Object.keys(trainerChanges.went)]);

/** Options that are whole numbers. */
export const trainerIntegers: ReadonlySet<string> = new Set(types.int);

/** Options that are numbers, whole or not. */
export const trainerNumbers: ReadonlySet<string> = new Set([...types.int, ...types.float, "warmup_ratio"]);

export const trainerBooleans: ReadonlySet<string> = new Set(types.bool);

/** Options that take exactly one word on a command line. DeepSpeed's programs have a switch of the last one's name. */
export const trainerValued: ReadonlySet<string> = new Set(types.valued.filter((name) => name !== "deepspeed"));
