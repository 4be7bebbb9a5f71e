/**
 * Arguments that LLaMA-Factory has beside those of the Trainer. Source: src/llamafactory/hparams (0.9.5.dev0), with those that its adapters of
 * Megatron read.
 */
const own = `account_for_embedding_in_pipeline_split account_for_loss_in_pipeline_split adapter_folder adapter_name_or_path
  add_special_tokens add_tokens additional_configs additional_target apollo_layerwise apollo_proj apollo_proj_type
  apollo_rank apollo_scale apollo_scale_front apollo_scale_type apollo_target apollo_update_interval
  apply_rope_fusion asft_alpha audio_sampling_rate badam_mask_mode badam_mode badam_start_block
  badam_switch_interval badam_switch_mode badam_update_ratio badam_verbose batch_size bias_activation_fusion
  block_diag_attn buffer_size cache_dir calculate_per_token_loss compute_accuracy compute_dtype
  context_parallel_size create_new_adapter crop_to_patches cross_entropy_loss_fusion cutoff_len
  data_shared_file_system dataset dataset_dir default_system device_map disable_gradient_checkpointing
  disable_shuffling do_sample double_quantization download_mode dpo_label_smoothing eaft_alpha early_stopping_steps
  enable_liger_kernel enable_thinking enable_torch_profiler eval_dataset eval_num_beams eval_on_each_dataset
  expert_model_parallel_size export_device export_dir export_hf_on_finish export_hub_model_id export_legacy_format
  export_quantization_bit export_quantization_dataset export_quantization_maxlen export_quantization_nsamples
  export_size finetuning_type flash_attn fp8 fp8_backend fp8_enable_fsdp_float8_all_gather freeze_extra_modules
  freeze_language_model freeze_multi_modal_projector freeze_trainable_layers freeze_trainable_modules
  freeze_vision_tower galore_layerwise galore_proj_type galore_rank galore_scale galore_target
  galore_update_interval hf_hub_token hyper_parallel_args hyper_parallel_cp_size ignore_pad_token_for_loss
  image_do_pan_and_scan image_max_pixels image_min_pixels include_effective_tokens_per_second infer_backend
  infer_dtype init_special_tokens interleave_probs kt_config kt_cpu_activation kt_expert_checkpoint_path
  kt_lora_expert_intermediate_size kt_lora_expert_num kt_non_expert_weight_path kt_use_lora_experts kt_weight_path
  kto_chosen_weight kto_rejected_weight lang ld_alpha length_penalty lora_alpha lora_dropout lora_rank lora_target
  loraplus_lr_embedding loraplus_lr_ratio low_cpu_mem_usage mask_history masked_softmax_fusion master_addr
  master_port max_length max_new_tokens max_samples media_dir megatron_bridge_args mix_strategy mixed_precision
  mixture_of_depths model_max_length model_name_or_path model_revision module_dropout moe_aux_loss_coef
  moe_grouped_gemm moe_token_dispatcher_type ms_hub_token n_shot neat_packing new_special_tokens_config num_beams
  offload_folder oft_block_size oft_rank oft_target om_hub_token overlap_grad_reduce overlap_param_gather
  overwrite_cache overwrite_output_dir packing pipeline_model_parallel_size pissa_convert pissa_init pissa_iter
  plot_loss ppo_buffer_size ppo_epochs ppo_score_norm ppo_target ppo_whiten_rewards pref_bco_weight pref_beta
  pref_ftx pref_loss preprocessing_batch_size preprocessing_num_workers preserve_thinking print_param_status
  profile_modules profiler_active_steps profiler_output_dir profiler_profile_memory profiler_record_shapes
  profiler_repeat profiler_wait_steps profiler_warmup_steps profiler_with_stack pure_bf16 quantization_bit
  quantization_device_map quantization_method quantization_type ray_init_kwargs ray_num_workers
  recompute_granularity recompute_method recompute_num_layers ref_model ref_model_adapters
  ref_model_quantization_bit repetition_penalty resize_vocab reward_model reward_model_adapters
  reward_model_quantization_bit reward_model_type rope_scaling save_dir seed sequence_parallel sglang_config
  sglang_lora_backend sglang_maxlen sglang_mem_fraction sglang_tp_size shift_attn simpo_gamma skip_special_tokens
  split_special_tokens stage streaming swanlab_api_key swanlab_lark_secret swanlab_lark_webhook_url swanlab_logdir
  swanlab_mode swanlab_project swanlab_run_name swanlab_workspace task task_dir temperature template
  tensor_model_parallel_size tokenized_path tool_format top_k top_p train_from_scratch train_on_prompt
  trust_remote_code upcast_layernorm upcast_lmhead_output use_adam_mini use_apollo use_asft_loss use_audio_in_video
  use_badam use_dft_loss use_distributed_optimizer use_dora use_eaft_loss use_fast_tokenizer use_galore
  use_hyper_parallel use_kt use_kv_cache use_llama_pro use_mca use_megatron_bridge use_muon use_packed_sequences use_reentrant_gc
  use_rslora use_swanlab use_unsloth use_unsloth_gc use_v1_kernels val_size video_fps video_max_pixels video_maxlen
  video_min_pixels virtual_pipeline_model_parallel_size vllm_config vllm_enforce_eager vllm_gpu_util
  vllm_max_lora_rank vllm_maxlen`;

/** Arguments that it had, by their names now; `null` where nothing took their place. Source: the history of the same files. */
export const earlierFactoryArguments: ReadonlyMap<string, string | null> = new Map([
  ["image_resolution", "image_max_pixels"],
  ["image_max_resolution", "image_max_pixels"],
  ["image_min_resolution", "image_min_pixels"],
  ["video_resolution", "video_max_pixels"],
  ["video_max_resolution", "video_max_pixels"],
  ["video_min_resolution", "video_min_pixels"],
  ["image_dir", "media_dir"],
  ["max_source_length", "cutoff_len"],
  ["max_target_length", "cutoff_len"],
  ["dev_ratio", "val_size"],
  ["dpo_beta", "pref_beta"],
  ["kto_beta", "pref_beta"],
  ["orpo_beta", "pref_beta"],
  ["dpo_ftx", "pref_ftx"],
  ["kto_ftx", "pref_ftx"],
  ["dpo_loss", "pref_loss"],
  ["dpo_ref_model", "ref_model"],
  ["name_module_trainable", "freeze_trainable_modules"],
  ["num_layer_trainable", "freeze_trainable_layers"],
  ["lora_lr_ratio", "loraplus_lr_ratio"],
  ["lora_bf16_mode", "pure_bf16"],
  ["switch_mode", "badam_switch_mode"],
  ["infer_num_beams", "eval_num_beams"],
  ["prompt_template", "template"],
  ["system_prompt", "default_system"],
  ["hf_auth_token", "hf_hub_token"],
  ["use_auth_token", "hf_hub_token"],
  ["use_liger_kernel", "enable_liger_kernel"],
  ["new_special_tokens", "add_special_tokens"],
  ["new_normal_tokens", "add_tokens"],
  ["use_adammini", "use_adam_mini"],
  ["sft_packing", "packing"],
  ["efficient_packing", "neat_packing"],
  ["cache_path", "tokenized_path"],
  ...[
    "train_mm_proj_only",
    "tune_mm_proj",
    "visual_inputs",
    "use_mllm",
    "use_qformer",
    "resume_lora_training",
    "checkpoint_dir",
    "source_prefix",
    "padding_side",
    "train_last_turn_only",
    "reserved_label_len",
    "dataset_shards",
    "vllm_dtype",
    "ppo_logger",
    "chunk_size",
    "cpu_infer",
  ].map((name) => [name, null] as const),
]);

export const factoryArguments: ReadonlySet<string> = new Set(own.split(/\s+/));

/** Arguments by the release that brought them. Source: the same classes, tag by tag. */
const came: Readonly<Record<string, string>> = {
  "0.8.0": "default_system freeze_vision_tower pref_beta pref_ftx pref_loss simpo_gamma train_from_scratch",
  "0.8.2": "adapter_folder infer_dtype pissa_convert pissa_init pissa_iter",
  "0.8.3": "compute_accuracy eval_dataset mask_history neat_packing quantization_method tool_format",
  "0.9.0": `block_diag_attn compute_dtype enable_liger_kernel model_max_length preprocessing_batch_size use_adam_mini
    use_unsloth_gc video_fps video_maxlen`,
  "0.9.1": "include_effective_tokens_per_second om_hub_token vllm_config",
  "0.9.2": `apollo_layerwise apollo_proj apollo_rank apollo_scale apollo_target apollo_update_interval disable_shuffling
    freeze_language_model freeze_multi_modal_projector image_max_pixels image_min_pixels media_dir skip_special_tokens
    swanlab_mode swanlab_project use_apollo use_reentrant_gc use_swanlab video_max_pixels video_min_pixels`,
  "0.9.3": `add_special_tokens add_tokens audio_sampling_rate crop_to_patches data_shared_file_system early_stopping_steps
    enable_thinking eval_on_each_dataset ld_alpha sglang_config use_audio_in_video use_muon`,
  "0.9.4": `fp8 fp8_backend init_special_tokens module_dropout new_special_tokens_config oft_block_size oft_rank oft_target
    pref_bco_weight use_dft_loss use_kt use_kv_cache use_mca`,
  "0.9.5":
    "asft_alpha eaft_alpha enable_torch_profiler hyper_parallel_args use_asft_loss use_eaft_loss use_hyper_parallel",
};

export const factorySince: ReadonlyMap<string, string> = new Map(
  Object.entries(came).flatMap(([release, names]) => names.split(/\s+/).map((name) => [name, release])),
);
