/**
 * The keys of a DeepSpeed configuration: what `raw deepspeed` may say. Generated from DeepSpeed's own models and readers
 * at 0.19.6, less what 0.19.8 refuses and with what it added. The engine closes only its pydantic sections; here every section is closed unless
 * it is `open`, because a key that nothing reads is a mistake.
 */
export interface Key {
  readonly types: readonly (
    "boolean" | "integer" | "number" | "string" | "null" | "array" | "object" | "enum" | "any"
  )[];
  readonly values?: readonly (string | number | boolean | null)[];
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly deprecated?: boolean;
  readonly keys?: Keys;
  /** Takes keys of any name besides. */
  readonly open?: boolean;
}
export type Keys = { readonly [name: string]: Key };

export const version = "0.19.8";

/** Refused by name since 0.19.7, with what the engine says to use instead. */
export const refused: Readonly<Record<string, string>> = {
  amp: "use `precision` of the stage",
  elasticity: "state the batch in the stage",
  curriculum_learning: "use data_efficiency.data_sampling.curriculum_learning",
  progressive_layer_drop: "it was removed",
  sparse_attention: "it was removed",
  quantize_training: "it was removed",
  eigenvalue: "it was removed",
  compression_training: "it was removed",
  nebula: "it was removed",
  graph_harvesting: "it was removed",
  sparse_gradients: "it was removed",
  "zero_optimization.mics_shard_size": "MiCS was removed",
  "zero_optimization.mics_hierarchical_params_gather": "MiCS was removed",
  "zero_optimization.zeropp_loco_param": "LoCo was removed",
};

export const schema: Keys = {
  train_batch_size: {
    types: ["integer"],
    above: 0,
  },
  train_micro_batch_size_per_gpu: {
    types: ["integer"],
    above: 0,
  },
  gradient_accumulation_steps: {
    types: ["integer"],
    above: 0,
  },
  managed_gradient_accumulation: {
    types: ["boolean"],
  },
  steps_per_print: {
    types: ["integer", "number", "null"],
    above: 0,
  },
  wall_clock_breakdown: {
    types: ["boolean"],
  },
  memory_breakdown: {
    types: ["boolean"],
  },
  dump_state: {
    types: ["boolean"],
  },
  log_level: {
    types: ["enum"],
    values: ["debug", "info", "warning", "error", "critical", null],
  },
  gradient_clipping: {
    types: ["number"],
    min: 0,
  },
  prescale_gradients: {
    types: ["boolean"],
  },
  gradient_predivide_factor: {
    types: ["number"],
  },
  gradient_allreduce_op: {
    types: ["enum"],
    values: ["mean", "sum"],
  },
  disable_allgather: {
    types: ["boolean"],
  },
  communication_data_type: {
    types: ["enum"],
    values: ["fp32", "fp16", "bf16", null],
  },
  seq_parallel_communication_data_type: {
    types: ["enum"],
    values: ["fp32", "fp16", "bf16", null],
  },
  dataloader_drop_last: {
    types: ["boolean"],
  },
  vocabulary_size: {
    types: ["integer", "null"],
  },
  use_data_before_expert_parallelism: {
    types: ["boolean"],
  },
  zero_allow_untested_optimizer: {
    types: ["boolean"],
  },
  zero_force_ds_cpu_optimizer: {
    types: ["boolean"],
  },
  sequence_parallel_size: {
    types: ["integer"],
    min: 1,
  },
  data_parallel_size: {
    types: ["integer"],
    min: 1,
  },
  zero_optimization: {
    types: ["object", "boolean"],
    keys: {
      stage: {
        types: ["enum"],
        values: [0, 1, 2, 3],
      },
      contiguous_gradients: {
        types: ["boolean"],
      },
      reduce_scatter: {
        types: ["boolean"],
      },
      reduce_bucket_size: {
        types: ["integer"],
        min: 0,
      },
      use_multi_rank_bucket_allreduce: {
        types: ["boolean"],
      },
      allgather_partitions: {
        types: ["boolean"],
      },
      allgather_bucket_size: {
        types: ["integer"],
        min: 0,
      },
      overlap_comm: {
        types: ["boolean", "null"],
      },
      load_from_fp32_weights: {
        types: ["boolean"],
      },
      elastic_checkpoint: {
        types: ["boolean"],
      },
      offload_param: {
        types: ["object", "null"],
        keys: {
          device: {
            types: ["enum"],
            values: ["none", "cpu", "nvme"],
          },
          nvme_path: {
            types: ["string", "null"],
          },
          buffer_count: {
            types: ["integer"],
            min: 0,
          },
          buffer_size: {
            types: ["integer"],
            min: 0,
          },
          max_in_cpu: {
            types: ["integer"],
            min: 0,
          },
          pin_memory: {
            types: ["boolean"],
          },
        },
      },
      offload_optimizer: {
        types: ["object", "null"],
        keys: {
          device: {
            types: ["enum"],
            values: ["none", "cpu", "nvme"],
          },
          nvme_path: {
            types: ["string", "null"],
          },
          buffer_count: {
            types: ["integer"],
            min: 0,
          },
          pin_memory: {
            types: ["boolean"],
          },
          pipeline_read: {
            types: ["boolean"],
          },
          pipeline_write: {
            types: ["boolean"],
          },
          fast_init: {
            types: ["boolean"],
          },
          ratio: {
            types: ["number"],
            min: 0.0,
            max: 1.0,
          },
          super_offload: {
            types: ["boolean"],
          },
          cpuadam_cores_perc: {
            types: ["number"],
            min: 0.0,
            max: 1.0,
          },
        },
      },
      zenflow: {
        types: ["object", "null"],
        keys: {
          topk_ratio: {
            types: ["number"],
            min: 0.0,
            max: 1.0,
          },
          select_strategy: {
            types: ["string"],
          },
          select_interval: {
            types: ["string", "integer"],
          },
          update_interval: {
            types: ["string", "integer"],
          },
          overlap_step: {
            types: ["boolean"],
          },
          offload: {
            types: ["boolean"],
          },
          auto_ratio: {
            types: ["number"],
            min: 0.0,
            max: 1.0,
          },
          full_warm_up_rounds: {
            types: ["integer"],
          },
          pt_reserved_cores_perc: {
            types: ["number"],
            min: 0.0,
            max: 1.0,
          },
          steps_per_epoch: {
            types: ["integer", "null"],
          },
        },
      },
      sub_group_size: {
        types: ["integer"],
        min: 0,
      },
      cpu_offload_param: {
        types: ["boolean", "null"],
        deprecated: true,
      },
      cpu_offload_use_pin_memory: {
        types: ["boolean", "null"],
        deprecated: true,
      },
      cpu_offload: {
        types: ["boolean", "null"],
        deprecated: true,
      },
      prefetch_bucket_size: {
        types: ["integer"],
        min: 0,
      },
      stage3_prefetch_bucket_size: {
        types: ["integer"],
        min: 0,
      },
      param_persistence_threshold: {
        types: ["integer"],
        min: 0,
      },
      stage3_param_persistence_threshold: {
        types: ["integer"],
        min: 0,
      },
      model_persistence_threshold: {
        types: ["integer"],
        min: 0,
      },
      stage3_model_persistence_threshold: {
        types: ["integer"],
        min: 0,
      },
      max_live_parameters: {
        types: ["integer"],
        min: 0,
      },
      stage3_max_live_parameters: {
        types: ["integer"],
        min: 0,
      },
      max_reuse_distance: {
        types: ["integer"],
        min: 0,
      },
      stage3_max_reuse_distance: {
        types: ["integer"],
        min: 0,
      },
      gather_16bit_weights_on_model_save: {
        types: ["boolean"],
      },
      stage3_gather_16bit_weights_on_model_save: {
        types: ["boolean"],
      },
      module_granularity_threshold: {
        types: ["integer"],
      },
      stage3_module_granularity_threshold: {
        types: ["integer"],
      },
      use_all_reduce_for_fetch_params: {
        types: ["boolean"],
      },
      stage3_use_all_reduce_for_fetch_params: {
        types: ["boolean"],
      },
      allgather_sequential: {
        types: ["boolean"],
      },
      stage3_allgather_sequential: {
        types: ["boolean"],
      },
      stage3_gather_fp16_weights_on_model_save: {
        types: ["boolean"],
        deprecated: true,
      },
      ignore_unused_parameters: {
        types: ["boolean"],
      },
      legacy_stage1: {
        types: ["boolean"],
      },
      round_robin_gradients: {
        types: ["boolean"],
      },
      zero_hpz_partition_size: {
        types: ["integer"],
        min: 0,
      },
      zero_quantized_weights: {
        types: ["boolean"],
      },
      zero_quantized_nontrainable_weights: {
        types: ["boolean"],
      },
      zero_quantized_gradients: {
        types: ["boolean"],
      },
      memory_efficient_linear: {
        types: ["boolean"],
      },
      pipeline_loading_checkpoint: {
        types: ["boolean"],
      },
      override_module_apply: {
        types: ["boolean"],
      },
      log_trace_cache_warnings: {
        types: ["boolean"],
      },
      enable_sanity_checks: {
        types: ["boolean"],
      },
      save_muon_momentum_buffer_in_memory: {
        types: ["boolean"],
      },
      leaf_module: {
        types: ["object"],
        keys: {
          classes: {
            types: ["array"],
          },
          names: {
            types: ["array"],
          },
          name_suffixes: {
            types: ["array"],
          },
        },
      },
      compute_grad_norm: {
        types: ["boolean"],
      },
      parameter_alignment: {
        types: ["boolean"],
      },
    },
  },
  bf16: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      immediate_grad_update: {
        types: ["boolean"],
      },
      check_grad_overflow: {
        types: ["boolean"],
      },
      bf16_master_weights_and_grads: {
        types: ["boolean"],
      },
      bf16_optimizer_states: {
        types: ["boolean"],
      },
    },
  },
  fp16: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      auto_cast: {
        types: ["boolean"],
      },
      loss_scale: {
        types: ["number"],
        min: 0,
      },
      initial_scale_power: {
        types: ["integer"],
      },
      loss_scale_window: {
        types: ["integer"],
      },
      hysteresis: {
        types: ["integer"],
      },
      consecutive_hysteresis: {
        types: ["boolean"],
      },
      min_loss_scale: {
        types: ["integer"],
      },
      fp16_master_weights_and_grads: {
        types: ["boolean"],
      },
    },
  },
  torch_autocast: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      dtype: {
        types: ["enum"],
        values: [
          "bfloat16",
          "bf16",
          "torch.bfloat16",
          "float16",
          "fp16",
          "half",
          "torch.float16",
          "float32",
          "fp32",
          "float",
          "torch.float32",
          "int8",
          "torch.int8",
        ],
      },
      lower_precision_safe_modules: {
        types: ["array"],
      },
    },
  },
  data_types: {
    types: ["object"],
    keys: {
      grad_accum_dtype: {
        types: ["enum"],
        values: ["fp32", "fp16", "bf16", null],
      },
      param_dtype: {
        types: ["enum"],
        values: ["fp32", "fp16", "bf16", null],
      },
      buffer_dtype: {
        types: ["enum"],
        values: ["fp32", "fp16", "bf16", null],
      },
    },
  },
  optimizer: {
    types: ["object"],
    keys: {
      type: {
        types: ["string"],
      },
      params: {
        types: ["object"],
        keys: {
          lr: {
            types: ["number"],
          },
          betas: {
            types: ["array"],
          },
          eps: {
            types: ["number"],
          },
          weight_decay: {
            types: ["number"],
          },
          torch_adam: {
            types: ["boolean"],
          },
          adam_w_mode: {
            types: ["boolean"],
          },
          fp32_optimizer_states: {
            types: ["boolean"],
          },
          momentum: {
            types: ["number"],
          },
          muon_lr: {
            types: ["number"],
          },
          adam_lr: {
            types: ["number"],
          },
          ns_method: {
            types: ["string"],
          },
          max_grad_norm: {
            types: ["any"],
          },
        },
      },
      legacy_fusion: {
        types: ["boolean"],
      },
    },
  },
  scheduler: {
    types: ["object"],
    keys: {
      type: {
        types: ["string"],
      },
      params: {
        types: ["object"],
        keys: {
          warmup_min_lr: {
            types: ["number"],
          },
          warmup_max_lr: {
            types: ["number", "null"],
          },
          warmup_num_steps: {
            types: ["integer"],
            above: 0,
          },
          warmup_type: {
            types: ["enum"],
            values: ["log", "linear"],
          },
          total_num_steps: {
            types: ["integer"],
          },
          warmup_min_ratio: {
            types: ["number"],
          },
          cos_min_ratio: {
            types: ["number"],
          },
          lr_range_test_min_lr: {
            types: ["any"],
          },
          lr_range_test_step_size: {
            types: ["integer"],
            above: 0,
          },
          lr_range_test_step_rate: {
            types: ["number"],
          },
          lr_range_test_staircase: {
            types: ["boolean"],
          },
          cycle_min_lr: {
            types: ["number"],
          },
          cycle_max_lr: {
            types: ["number"],
          },
          cycle_first_step_size: {
            types: ["number"],
            above: 0,
          },
          cycle_second_step_size: {
            types: ["number", "null"],
          },
          cycle_first_stair_count: {
            types: ["integer"],
          },
          cycle_second_stair_count: {
            types: ["integer", "null"],
          },
          decay_step_size: {
            types: ["number"],
          },
          decay_lr_rate: {
            types: ["number"],
          },
          cycle_momentum: {
            types: ["boolean"],
          },
          cycle_min_mom: {
            types: ["number"],
          },
          cycle_max_mom: {
            types: ["number"],
          },
          decay_mom_rate: {
            types: ["number"],
          },
          last_batch_iteration: {
            types: ["integer"],
          },
        },
      },
    },
  },
  activation_checkpointing: {
    types: ["object"],
    keys: {
      partition_activations: {
        types: ["boolean"],
      },
      number_checkpoints: {
        types: ["integer", "null"],
      },
      contiguous_memory_optimization: {
        types: ["boolean"],
      },
      cpu_checkpointing: {
        types: ["boolean"],
      },
      synchronize_checkpoint_boundary: {
        types: ["boolean"],
      },
      profile: {
        types: ["boolean"],
      },
    },
  },
  pipeline: {
    types: ["object"],
    keys: {
      stages: {
        types: ["integer"],
      },
      partition: {
        types: ["string"],
      },
      seed_layers: {
        types: ["boolean"],
      },
      activation_checkpoint_interval: {
        types: ["integer"],
        min: 0,
      },
      pipe_partitioned: {
        types: ["boolean"],
      },
      grad_partitioned: {
        types: ["boolean"],
      },
      use_reentrant: {
        types: ["boolean"],
      },
    },
  },
  checkpoint: {
    types: ["object"],
    keys: {
      tag_validation: {
        types: ["enum"],
        values: ["Ignore", "Warn", "Fail", "IGNORE", "WARN", "FAIL", "ignore", "warn", "fail"],
      },
      load_universal: {
        types: ["boolean"],
      },
      use_node_local_storage: {
        types: ["boolean"],
      },
      parallel_write: {
        types: ["object"],
        keys: {
          pipeline_stage: {
            types: ["boolean"],
          },
        },
      },
      checkpoint_serialization: {
        types: ["boolean"],
      },
      writer: {
        types: ["object", "null"],
        keys: {
          type: {
            types: ["enum"],
            values: ["MOCK", "PYTHON", "FAST", "mock", "python", "fast"],
          },
          io_buffer_size: {
            types: ["integer"],
          },
          io_buffer_double: {
            types: ["boolean"],
          },
          io_multiplier: {
            types: ["integer"],
          },
          show_statistics: {
            types: ["boolean"],
          },
          data_parallel: {
            types: ["enum"],
            values: ["REPLICA", "SOCKET", "MACHINE", "replica", "socket", "machine", null],
          },
          decoupled: {
            types: ["boolean"],
          },
        },
      },
    },
  },
  aio: {
    types: ["object"],
    keys: {
      block_size: {
        types: ["integer"],
      },
      queue_depth: {
        types: ["integer"],
      },
      intra_op_parallelism: {
        types: ["integer"],
      },
      single_submit: {
        types: ["boolean"],
      },
      overlap_events: {
        types: ["boolean"],
      },
      use_gds: {
        types: ["boolean"],
      },
    },
  },
  flops_profiler: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      recompute_fwd_factor: {
        types: ["number"],
      },
      profile_step: {
        types: ["integer"],
      },
      module_depth: {
        types: ["integer"],
      },
      top_modules: {
        types: ["integer"],
      },
      detailed: {
        types: ["boolean"],
      },
      output_file: {
        types: ["string", "null"],
      },
    },
  },
  tensorboard: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      output_path: {
        types: ["string"],
      },
      job_name: {
        types: ["string"],
      },
    },
  },
  wandb: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      group: {
        types: ["string", "null"],
      },
      team: {
        types: ["string", "null"],
      },
      project: {
        types: ["string"],
      },
    },
  },
  csv_monitor: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      output_path: {
        types: ["string"],
      },
      job_name: {
        types: ["string"],
      },
    },
  },
  comet: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      samples_log_interval: {
        types: ["integer"],
      },
      project: {
        types: ["string", "null"],
      },
      workspace: {
        types: ["string", "null"],
      },
      api_key: {
        types: ["string", "null"],
      },
      experiment_name: {
        types: ["string", "null"],
      },
      experiment_key: {
        types: ["string", "null"],
      },
      online: {
        types: ["boolean", "null"],
      },
      mode: {
        types: ["string", "null"],
      },
    },
  },
  comms_logger: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      prof_all: {
        types: ["boolean"],
      },
      prof_ops: {
        types: ["array"],
      },
      verbose: {
        types: ["boolean"],
      },
      debug: {
        types: ["boolean"],
      },
    },
  },
  timers: {
    types: ["object"],
    keys: {
      throughput: {
        types: ["object"],
        keys: {
          enabled: {
            types: ["boolean"],
          },
          synchronized: {
            types: ["boolean"],
          },
        },
      },
    },
  },
  compile: {
    types: ["object"],
    keys: {
      deepcompile: {
        types: ["boolean"],
      },
      free_activation: {
        types: ["boolean"],
      },
      free_activation_threshold: {
        types: ["integer"],
      },
      offload_activation: {
        types: ["boolean"],
      },
      offload_activation_pin_memory: {
        types: ["boolean"],
      },
      offload_opt_states: {
        types: ["boolean"],
      },
      double_buffer: {
        types: ["boolean"],
      },
      symmetric_memory: {
        types: ["boolean"],
      },
      debug_log: {
        types: ["boolean"],
      },
      offload_parameters: {
        types: ["boolean"],
      },
      sync_before_reduce: {
        types: ["boolean"],
      },
      sync_after_reduce: {
        types: ["boolean"],
      },
      sync_before_allgather: {
        types: ["boolean"],
      },
      sync_after_allgather: {
        types: ["boolean"],
      },
      keep_int_input_tensors: {
        types: ["boolean"],
      },
      keep_all_input_tensors: {
        types: ["boolean"],
      },
      passes: {
        types: ["array", "null"],
      },
    },
  },
  tensor_parallel: {
    types: ["object"],
    keys: {
      dtype: {
        types: ["string"],
      },
      autotp_size: {
        types: ["integer"],
      },
      tp_overlap_comm: {
        types: ["boolean"],
      },
      tensor_parallel: {
        types: ["object"],
        keys: {
          tp_size: {
            types: ["integer"],
          },
          tp_grain_size: {
            types: ["integer"],
          },
        },
      },
      tp: {
        types: ["object"],
        keys: {
          tp_size: {
            types: ["integer"],
          },
          tp_grain_size: {
            types: ["integer"],
          },
        },
      },
      partition_config: {
        types: ["object", "null"],
        open: true,
      },
      preset_model: {
        types: ["string", "null"],
      },
      keep_module_on_host: {
        types: ["boolean"],
      },
      replace_with_kernel_inject: {
        types: ["boolean"],
      },
      kernel_inject: {
        types: ["boolean"],
      },
    },
  },
  hybrid_engine: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      max_out_tokens: {
        types: ["integer"],
      },
      inference_tp_size: {
        types: ["integer"],
      },
      release_inference_cache: {
        types: ["boolean"],
      },
      pin_parameters: {
        types: ["boolean"],
      },
      tp_gather_partition_size: {
        types: ["integer"],
      },
      enable_cuda_graph: {
        types: ["boolean"],
      },
    },
  },
  weight_quantization: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      num_bits: {
        types: ["integer"],
      },
      q_type: {
        types: ["enum"],
        values: ["asymmetric", "symmetric"],
      },
      q_groups: {
        types: ["integer"],
      },
      quantized_initialization: {
        types: ["object"],
        open: true,
      },
      post_init_quant: {
        types: ["object"],
        open: true,
      },
    },
  },
  expert_parallel: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      autoep_size: {
        types: ["integer"],
        min: 1,
      },
      expert_tensor_parallel_size: {
        types: ["integer"],
      },
      validate_folding_routing: {
        types: ["boolean"],
      },
      preset_model: {
        types: ["enum"],
        values: ["mixtral", "qwen3_moe", "deepseek_v2", "deepseek_v3", "qwen3_5_moe", null],
      },
      moe_layer_pattern: {
        types: ["string", "null"],
      },
      expert_pattern: {
        types: ["string", "null"],
      },
      router_pattern: {
        types: ["string", "null"],
      },
      use_grouped_mm: {
        types: ["boolean"],
      },
      disable_triton_grouped_mm: {
        types: ["boolean"],
      },
      route_norm: {
        types: ["boolean", "null"],
      },
      route_scale: {
        types: ["number"],
      },
      score_apply: {
        types: ["enum"],
        values: ["auto", "pre", "post"],
      },
      combine_impl: {
        types: ["enum"],
        values: ["auto", "weighted_sum", "legacy_bmm"],
      },
      num_expert_groups: {
        types: ["integer", "null"],
      },
      num_limited_groups: {
        types: ["integer", "null"],
      },
      score_func: {
        types: ["enum"],
        values: ["auto", "softmax", "sigmoid"],
      },
      top_k: {
        types: ["integer"],
      },
      load_balance_coeff: {
        types: ["null"],
      },
      routed_scaling_factor: {
        types: ["number"],
      },
      expert_w1: {
        types: ["string", "null"],
      },
      expert_w2: {
        types: ["string", "null"],
      },
      expert_w3: {
        types: ["string", "null"],
      },
      num_experts_attr: {
        types: ["string", "null"],
      },
      top_k_attr: {
        types: ["string", "null"],
      },
      has_shared_experts: {
        types: ["boolean", "null"],
      },
      shared_experts_pattern: {
        types: ["string", "null"],
      },
      shared_experts_gate_pattern: {
        types: ["string", "null"],
      },
    },
  },
  autotuning: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      fast: {
        types: ["boolean"],
      },
      results_dir: {
        types: ["string", "null"],
      },
      exps_dir: {
        types: ["string", "null"],
      },
      overwrite: {
        types: ["boolean"],
      },
      start_profile_step: {
        types: ["integer"],
      },
      end_profile_step: {
        types: ["integer"],
      },
      metric: {
        types: ["enum"],
        values: ["latency", "throughput", "flops", "forward", "step"],
      },
      metric_path: {
        types: ["string", "null"],
      },
      tuner_type: {
        types: ["enum"],
        values: ["gridsearch", "random", "model_based"],
      },
      tuner_early_stopping: {
        types: ["integer"],
      },
      tuner_num_trials: {
        types: ["integer"],
      },
      arg_mappings: {
        types: ["object", "null"],
      },
      model_info: {
        types: ["object", "null"],
      },
      model_info_path: {
        types: ["string", "null"],
      },
      mp_size: {
        types: ["integer"],
      },
      max_train_batch_size: {
        types: ["integer", "null"],
      },
      min_train_batch_size: {
        types: ["integer"],
      },
      max_train_micro_batch_size_per_gpu: {
        types: ["integer"],
      },
      min_train_micro_batch_size_per_gpu: {
        types: ["integer"],
      },
      num_tuning_micro_batch_sizes: {
        types: ["integer"],
      },
    },
  },
  data_efficiency: {
    types: ["object"],
    keys: {
      enabled: {
        types: ["boolean"],
      },
      seed: {
        types: ["integer"],
      },
      data_sampling: {
        types: ["object"],
        keys: {
          enabled: {
            types: ["boolean"],
          },
          num_epochs: {
            types: ["integer"],
          },
          num_workers: {
            types: ["integer"],
          },
          pin_memory: {
            types: ["boolean"],
          },
          curriculum_learning: {
            types: ["object"],
            keys: {
              enabled: {
                types: ["boolean"],
              },
              data_cluster_path: {
                types: ["string"],
              },
              curriculum_metrics: {
                types: ["object"],
                open: true,
              },
            },
          },
          dynamic_batching: {
            types: ["object"],
            keys: {
              enabled: {
                types: ["boolean"],
              },
              metrics_path: {
                types: ["string"],
              },
              lr_scaling_method: {
                types: ["enum"],
                values: ["linear", "sqrt", "none"],
              },
              min_batch_size: {
                types: ["integer"],
              },
              max_batch_size: {
                types: ["integer", "null"],
              },
              sequence_picking_order: {
                types: ["enum"],
                values: ["random", "seqlen", "dataloader"],
              },
              max_tokens: {
                types: ["integer"],
              },
              verbose: {
                types: ["boolean"],
              },
            },
          },
        },
      },
      data_routing: {
        types: ["object"],
        keys: {
          enabled: {
            types: ["boolean"],
          },
          random_ltd: {
            types: ["object"],
            open: true,
          },
        },
      },
    },
  },
  datastates_ckpt: {
    types: ["object"],
    open: true,
  },
  disable_python_gc: {
    types: ["boolean"],
  },
};
