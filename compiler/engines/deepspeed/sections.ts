/** Keys of the sections that the engine reads by hand (`dict.get`): it never looks at any other, and says nothing. */
export interface Keys {
  readonly [name: string]: Keys | "read" | "open";
}

const read = (names: string): Keys => Object.fromEntries(names.split(" ").map((name) => [name, "read"]));

/** deepspeed runtime/config.py: _initialize_params and the readers that it calls; __init__.py: initialize. */
export const keysOfConfig: Keys = {
  ...read(
    "train_batch_size train_micro_batch_size_per_gpu gradient_accumulation_steps managed_gradient_accumulation steps_per_print " +
      "dump_state disable_python_gc disable_allgather communication_data_type seq_parallel_communication_data_type " +
      "prescale_gradients gradient_predivide_factor gradient_allreduce_op gradient_clipping zero_allow_untested_optimizer " +
      "zero_force_ds_cpu_optimizer wall_clock_breakdown memory_breakdown use_data_before_expert_parallelism " +
      "dataloader_drop_last log_level vocabulary_size sequence_parallel_size data_parallel_size",
  ),
  zero_optimization: "open",
  bf16: "open",
  bfloat16: "open",
  fp16: "open",
  comms_logger: "open",
  tensorboard: "open",
  wandb: "open",
  csv_monitor: "open",
  comet: "open",
  hybrid_engine: "open",
  weight_quantization: "open",
  compile: "open",
  tensor_parallel: "open",
  timers: { throughput: "open" },
  optimizer: { type: "read", params: "open", legacy_fusion: "read" },
  scheduler: { type: "read", params: "open" },
  activation_checkpointing: read(
    "partition_activations number_checkpoints contiguous_memory_optimization synchronize_checkpoint_boundary profile " +
      "cpu_checkpointing",
  ),
  flops_profiler: read("enabled recompute_fwd_factor profile_step module_depth top_modules detailed output_file"),
  autotuning: {
    ...read(
      "enabled fast results_dir exps_dir overwrite start_profile_step end_profile_step metric metric_path tuner_type " +
        "tuner_early_stopping tuner_num_trials model_info_path mp_size max_train_batch_size min_train_batch_size " +
        "max_train_micro_batch_size_per_gpu min_train_micro_batch_size_per_gpu num_tuning_micro_batch_sizes",
    ),
    arg_mappings: "open",
    model_info: read("profile num_params hidden_size num_layers"),
  },
  torch_autocast: read("enabled dtype lower_precision_safe_modules"),
  pipeline: read(
    "stages partition seed_layers activation_checkpoint_interval pipe_partitioned grad_partitioned use_reentrant",
  ),
  aio: read("block_size queue_depth intra_op_parallelism single_submit overlap_events use_gds"),
  checkpoint: {
    ...read("tag_validation load_universal use_node_local_storage checkpoint_serialization"),
    parallel_write: read("pipeline_stage"),
    writer: read("type io_buffer_size io_buffer_double show_statistics data_parallel decoupled io_multiplier"),
  },
  data_types: read("grad_accum_dtype param_dtype buffer_dtype keep_in_fp32_modules"),
  // Only whether it is given counts; its content goes to a checkpoint library that most hosts lack.
  datastates_ckpt: {},
  data_efficiency: {
    ...read("enabled seed"),
    data_sampling: {
      ...read("enabled num_epochs num_workers pin_memory"),
      curriculum_learning: "open",
      dynamic_batching: read(
        "enabled metrics_path lr_scaling_method min_batch_size max_batch_size sequence_picking_order max_tokens verbose",
      ),
    },
    data_routing: { ...read("enabled"), random_ltd: "open" },
  },
  expert_parallel: read(
    "enabled autoep_size expert_tensor_parallel_size validate_folding_routing async_split_plan preset_model " +
      "moe_layer_pattern expert_pattern router_pattern use_grouped_mm disable_triton_grouped_mm route_norm route_scale " +
      "score_apply combine_impl row_weighting_impl gate_up_impl comm_backend comm_num_sm comm_qp_margin " +
      "comm_max_tokens_per_rank num_expert_groups num_limited_groups score_func top_k load_balance_coeff " +
      "routed_scaling_factor expert_w1 expert_w2 expert_w3 num_experts_attr top_k_attr has_shared_experts " +
      "shared_experts_pattern shared_experts_gate_pattern expert_activation",
  ),
};

/** Top-level keys that the engine refuses by name, with what stands in for each. */
export const removedKeys: Readonly<Record<string, string>> = {
  nebula: "checkpoints are written by torch",
  compression_training: "the compression library was removed",
  amp: "use fp16, bf16 or torch_autocast",
  quantize_training: "mixture of quantization was removed",
  sparse_gradients: "an embedding with sparse=True needs no key",
  eigenvalue: "mixture of quantization was removed",
  sparse_attention: "sparse attention was removed",
  elasticity: "state train_batch_size, train_micro_batch_size_per_gpu and gradient_accumulation_steps",
  graph_harvesting: "it was removed",
  curriculum_learning: "use data_efficiency.data_sampling.curriculum_learning",
  progressive_layer_drop: "it was removed",
};

export const removedZeroKeys: Readonly<Record<string, string>> = {
  mics_shard_size: "MiCS was removed; zero_hpz_partition_size shards within a group",
  mics_hierarchical_params_gather: "MiCS was removed",
  zeropp_loco_param: "LoCo was removed; zero_quantized_gradients goes without it",
};
