/** Checkpoints: formats, intervals, what is read back. */
import { Undecided } from "../launch.ts";
import { rulesOf, settle, type Name, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");
const parsing = rulesOf("megatron/training/arguments.py: parse_and_validate_args");
const config = rulesOf("megatron/training/config/training_config.py: CheckpointConfig.__post_init__");

/** Formats whose files hold shards instead of whole ranks. */
const sharded = new Set(["torch_dist", "torch_dcp", "fsdp_dtensor"]);

/** What of a model comes out of its checkpoint. Where there is none yet, what is written holds. */
const ofModel: readonly Name[] = [
  ...(["num_layers", "hidden_size", "ffn_hidden_size", "seq_length", "num_attention_heads", "kv_channels"] as const),
  ...(["num_query_groups", "group_query_attention", "position_embedding_type", "add_position_embedding"] as const),
  ...(["use_rotary_position_embeddings", "rotary_base", "rotary_percent", "rotary_interleaved"] as const),
  ...(["max_position_embeddings", "hybrid_layer_pattern", "padded_vocab_size", "tiktoken_pattern"] as const),
  ...(["add_bias_linear", "add_qkv_bias", "squared_relu", "swiglu", "untie_embeddings_and_output_weights"] as const),
  ...(["normalization", "apply_query_key_layer_scaling", "attention_dropout", "hidden_dropout", "spec"] as const),
  ...(["mtp_num_layers", "mtp_use_repeated_layer", "num_experts", "moe_layer_freq", "moe_ffn_hidden_size"] as const),
  ...(["moe_router_topk", "moe_router_pre_softmax", "moe_grouped_gemm", "moe_router_score_function"] as const),
  ...(["moe_shared_expert_intermediate_size", "moe_router_enable_expert_bias", "moe_latent_size"] as const),
  ...(["moe_router_topk_scaling_factor", "mamba_state_dim", "mamba_head_dim", "mamba_num_groups"] as const),
  ...(["mamba_num_heads", "heterogeneous_layers_config_path", "heterogeneous_layers_config_encoded_json"] as const),
];

const splits: readonly Name[] = [
  ...(["tensor_model_parallel_size", "pipeline_model_parallel_size", "expert_model_parallel_size"] as const),
  ...(["virtual_pipeline_model_parallel_size", "num_layers_per_virtual_pipeline_stage"] as const),
];

/** megatron/training/checkpointing.py: load_args_from_checkpoint. Nobody reads the checkpoint here. */
const readFromCheckpoint: readonly Step[] = [
  settle(ofModel, (a) => onlyWithout(a.use_checkpoint_args), true),
  settle(["tokenizer_model", "tokenizer_type"], (a) =>
    onlyWithout(a.use_checkpoint_args && a.use_tokenizer_model_from_checkpoint_args),
  ),
  settle(splits, (a) => onlyWithout(a.use_checkpoint_args && a.use_mp_args_from_checkpoint_args)),
];

function onlyWithout(isRead: boolean): void {
  if (isRead) throw new Undecided();
}

export const checkpointPreparation: readonly Step[] = [
  parsing.ban("checkpoint-arguments-load", {
    about: ["use_checkpoint_args", "load"],
    when: (a) => a.use_checkpoint_args && a.load === null && a.pretrained_checkpoint === null,
    says: "--use-checkpoint-args needs --load or --pretrained-checkpoint",
    why: "With --use-checkpoint-args the sizes of the model come from a checkpoint, which --load must name. The engine stops at its start.",
    fix: "Name the checkpoint with --load DIR or --pretrained-checkpoint DIR, or leave --use-checkpoint-args out and give the model's arguments.",
    fires: "--use-checkpoint-args",
    silent: "--use-checkpoint-args --load runs/a",
  }),
  parsing.ban("checkpoint-arguments-local", {
    about: ["use_checkpoint_args", "non_persistent_ckpt_type"],
    when: (a) => a.use_checkpoint_args && a.non_persistent_ckpt_type === "local",
    says: "--use-checkpoint-args cannot be combined with --non-persistent-ckpt-type local",
    why: "The location of a local checkpoint is computed from the arguments, so the arguments cannot come from it.",
    fix: "Leave --use-checkpoint-args out and give the model's arguments, or take another --non-persistent-ckpt-type than local.",
    fires: "--use-checkpoint-args --load runs/a --non-persistent-ckpt-type local",
    silent: "--use-checkpoint-args --load runs/a",
  }),
  ...readFromCheckpoint,
  ban("checkpoint-convert", {
    about: ["ckpt_convert_format", "ckpt_convert_save", "load"],
    when: (a) => a.ckpt_convert_format !== null && (a.ckpt_convert_save === null || a.load === null),
    says: "--ckpt-convert-format needs --load and --ckpt-convert-save",
    why: "A conversion reads one checkpoint and writes another. The engine's own message is empty.",
    fix: "Give --load, the checkpoint to read, and --ckpt-convert-save, the folder to write the other form to; or leave --ckpt-convert-format out.",
    fires: "--ckpt-convert-format torch",
    silent: "--ckpt-convert-format torch --load runs/a --ckpt-convert-save runs/b",
  }),
  ban("checkpoint-in-memory", {
    about: ["non_persistent_ckpt_type"],
    when: (a) => a.non_persistent_ckpt_type === "in_memory",
    says: "--non-persistent-ckpt-type in_memory is not implemented: write global or local",
    why: "The parser still accepts the word, but the first check refuses it: checkpoints in memory were never implemented.",
    fix: "Write --non-persistent-ckpt-type global, or local with --non-persistent-local-ckpt-dir.",
    fires: "--non-persistent-ckpt-type in_memory",
    silent: "--non-persistent-ckpt-type global",
  }),
  settle(["use_dist_ckpt"], (a) => {
    a.use_dist_ckpt = sharded.has(a.ckpt_format);
  }),
];

export const checkpointIntervals: readonly Step[] = [
  demand("checkpoint-interval", {
    about: ["save_interval", "save"],
    check: ({ save, save_interval: every }) => {
      if (save === null) return null;
      if (every === null) return "--save needs --save-interval";
      return every > 0 ? null : `--save-interval ${every} is not positive`;
    },
    why: "Nothing is saved unless an interval is given. The engine's own message is empty.",
    fix: "Add --save-interval N, or leave --save out to keep nothing.",
    fires: "--save runs/a",
    silent: "--save runs/a --save-interval 100",
  }),
  demand("checkpoint-retain", {
    about: ["save_retain_interval", "save_interval"],
    check: ({ save, save_retain_interval: kept, save_interval: every }) => {
      if (save === null || kept === null || !every || every <= 0) return null;
      return kept > 0 && kept % every === 0
        ? null
        : `--save-retain-interval ${kept} is not a positive multiple of --save-interval ${every}`;
    },
    why: "Only checkpoints that were saved can be kept. The engine's own message is empty.",
    fix: "Set --save-retain-interval to a multiple of --save-interval.",
    fires: "--save runs/a --save-interval 100 --save-retain-interval 150",
    silent: "--save runs/a --save-interval 100 --save-retain-interval 200",
  }),
  ban("checkpoint-weights-overlap", {
    about: ["save_params_interval", "overlap_param_gather"],
    when: (a) => a.save !== null && a.save_params_interval !== null && a.overlap_param_gather,
    says: "--save-params-interval cannot be combined with --overlap-param-gather",
    why: "Weights are still being gathered when they would be written. The engine's own message is empty.",
    fix: "Leave --save-params-interval out, or --overlap-param-gather.",
    fires:
      "--save runs/a --save-interval 100 --save-params-interval 10 --overlap-param-gather --overlap-grad-reduce --use-distributed-optimizer",
    silent: "--save runs/a --save-interval 100 --save-params-interval 10",
  }),
  ban("log-memory-interval", {
    about: ["log_memory_interval", "log_interval"],
    when: (a) => a.log_memory_interval !== null && a.log_memory_interval % a.log_interval !== 0,
    says: "--log-memory-interval is not a multiple of --log-interval",
    why: "Memory is printed with the other figures of a step, every --log-interval steps. The engine's own message is empty.",
    fix: "Set --log-memory-interval to a multiple of --log-interval.",
    fires: "--log-interval 10 --log-memory-interval 15",
    silent: "--log-interval 10 --log-memory-interval 20",
  }),
];

export const checkpointFormats: readonly Step[] = [
  config.ban("checkpoint-integrity", {
    about: ["verify_integrity", "ckpt_format"],
    when: (a) => a.verify_integrity && a.ckpt_format !== "torch_dist",
    says: "--verify-integrity is for --ckpt-format torch_dist",
    why: "Only torch_dist writes checksums of its parts. Another format cannot be verified, and the run's configuration is refused.",
    fix: "Write --ckpt-format torch_dist, or leave --verify-integrity out.",
    fires: "--verify-integrity --ckpt-format torch",
    silent: "--verify-integrity --ckpt-format torch_dist",
  }),
  demand("checkpoint-dcp", {
    about: ["ckpt_format", "use_torch_fsdp2", "tensor_model_parallel_size"],
    check: (a) => {
      if (a.ckpt_format !== "torch_dcp") return null;
      if (!a.use_torch_fsdp2) return "--ckpt-format torch_dcp needs --use-torch-fsdp2";
      return a.tensor_model_parallel_size > 1 || a.pipeline_model_parallel_size > 1
        ? "--ckpt-format torch_dcp cannot be combined with tensor or pipeline parallelism"
        : null;
    },
    why: "The format writes only the shards of PyTorch's FSDP2. Tensor- or pipeline-parallel weights would be written as if each rank had all of them.",
    fix: "Write --ckpt-format torch_dist, or train with --use-torch-fsdp2.",
    fires: "--ckpt-format torch_dcp",
    silent: "--ckpt-format torch_dist",
  }),
  ban("checkpoint-fsdp", {
    about: ["ckpt_format", "use_megatron_fsdp"],
    when: (a) => a.ckpt_format === "fsdp_dtensor" && !a.use_megatron_fsdp,
    says: "--ckpt-format fsdp_dtensor needs --use-megatron-fsdp",
    why: "The format writes distributed tensors, which only Megatron's FSDP makes. Other weights would not be written.",
    fix: "Write --ckpt-format torch_dist, or train with --use-megatron-fsdp.",
    fires: "--ckpt-format fsdp_dtensor",
    silent: "--ckpt-format torch_dist",
  }),
];

export const checkpointParts: readonly Step[] = [
  ban("checkpoint-groups", {
    about: ["ckpt_pg_tensors_cache_path", "ckpt_fully_parallel_load_process_group"],
    when: (a) =>
      a.ckpt_pg_tensors_cache_path !== null &&
      a.ckpt_fully_parallel_save_process_group !== a.ckpt_fully_parallel_load_process_group,
    says: "--ckpt-pg-tensors-cache-path needs the same process group for saving and for loading",
    why: "The cache is kept per group: with two groups one would read the other's distribution.",
    fix: "Give --ckpt-fully-parallel-load-process-group the same group as for saving, or leave --ckpt-pg-tensors-cache-path out.",
    fires: "--ckpt-pg-tensors-cache-path /tmp/cache --ckpt-fully-parallel-load-process-group ep_dp",
    silent: "--ckpt-pg-tensors-cache-path /tmp/cache",
  }),
  ban("checkpoint-main-weights", {
    about: ["load_main_params_from_ckpt", "no_load_optim"],
    when: (a) => a.load_main_params_from_ckpt && !a.no_load_optim,
    says: "--load-main-params-from-ckpt needs --no-load-optim",
    why: "The optimizer's state holds its own copy of the main weights, which would overwrite the weights just read.",
    fix: "Add --no-load-optim, or leave --load-main-params-from-ckpt out.",
    fires: "--load-main-params-from-ckpt",
    silent: "--load-main-params-from-ckpt --no-load-optim",
  }),
  ban("checkpoint-async-dropped", {
    about: ["async_save", "use_persistent_ckpt_worker"],
    when: (a) => a.use_dist_ckpt && a.async_save && !a.use_persistent_ckpt_worker,
    says: "--async-save does nothing without --use-persistent-ckpt-worker",
    why: "The engine prints one line and saves in the foreground: every save stops the training, as without the option.",
    fix: "Add --use-persistent-ckpt-worker, or leave --async-save out.",
    severity: "warning",
    fires: "--async-save",
    silent: "--async-save --use-persistent-ckpt-worker",
  }),
  settle(["async_save"], (a) => {
    if (a.use_dist_ckpt && !a.use_persistent_ckpt_worker) a.async_save = false;
  }),
  ban("logits-save", {
    about: ["logits_save_dir", "logits_save_top_k", "async_save"],
    when: (a) => a.logits_save_dir !== null && (a.logits_save_top_k === null || !a.async_save),
    says: "--logits-save-dir needs --logits-save-top-k, --async-save and --use-persistent-ckpt-worker",
    why: "Logits are written by the worker that writes checkpoints, and only the largest of them are kept.",
    fix: "Add --logits-save-top-k N, --async-save and --use-persistent-ckpt-worker, or leave --logits-save-dir out.",
    fires: "--logits-save-dir logits",
    silent: "--logits-save-dir logits --logits-save-top-k 8 --async-save --use-persistent-ckpt-worker",
  }),
  settle(["use_distributed_optimizer", "overlap_param_gather"], (a) => {
    if (a.freeze_all_layers) a.use_distributed_optimizer = a.overlap_param_gather = false;
  }),
  ban("checkpoint-iteration-finetune", {
    about: ["override_ckpt_iteration", "finetune"],
    when: (a) => a.override_ckpt_iteration !== null && a.finetune,
    says: "--override-ckpt-iteration cannot be combined with --finetune",
    why: "Fine-tuning starts at iteration 0, and the other option names another one.",
    fix: "Leave --finetune out to continue at that iteration, or --override-ckpt-iteration to start from 0.",
    fires: "--override-ckpt-iteration 10 --finetune",
    silent: "--override-ckpt-iteration 10",
  }),
  ban("inference-threshold", {
    about: ["inference_batch_times_seqlen_threshold", "pipeline_model_parallel_size"],
    when: (a) =>
      a.inference_batch_times_seqlen_threshold > -1 &&
      (a.pipeline_model_parallel_size <= 1 || a.cuda_graph_impl !== "none"),
    says: "--inference-batch-times-seqlen-threshold needs pipeline parallelism and no CUDA graphs",
    why: "The threshold sets when a batch of inference is split into micro-batches for the pipeline; a graph has one fixed shape.",
    fix: "Give --pipeline-model-parallel-size 2 or more and no CUDA graphs, or leave --inference-batch-times-seqlen-threshold out.",
    fires: "--inference-batch-times-seqlen-threshold 1024",
    silent: "--inference-batch-times-seqlen-threshold 1024 --pipeline-model-parallel-size 2",
  }),
  ban("upcycling-save", {
    about: ["moe_use_upcycling", "save"],
    when: (a) => a.moe_use_upcycling && a.save === null,
    says: "--moe-use-upcycling needs --save",
    why: "The dense checkpoint is converted to one with experts, which is written before training.",
    fix: "Add --save DIR and --save-interval N.",
    base: "moe",
    fires: "--moe-use-upcycling",
    silent: "--moe-use-upcycling --save runs/a --save-interval 100",
  }),
  settle(["no_load_optim", "no_load_rng"], (a) => {
    if (a.moe_use_upcycling) a.no_load_optim = a.no_load_rng = true;
    if (a.skip_train && !a.perform_rl_step) a.no_load_optim = true;
  }),
  ban("rl-offload-no-optimizer", {
    about: ["rl_offload_optimizer_during_inference", "no_load_optim"],
    when: (a) => a.skip_train && a.perform_rl_step && a.no_load_optim && a.rl_offload_optimizer_during_inference,
    says: "--rl-offload-optimizer-during-inference has no optimizer to move: --skip-train with --no-load-optim makes none",
    why: "An evaluation without a loaded optimizer builds none, so there is nothing to offload.",
    fix: "Leave --rl-offload-optimizer-during-inference out, or load the optimizer: without --skip-train or --no-load-optim.",
    base: "rl",
    fires: "--skip-train --no-load-optim --rl-offload-optimizer-during-inference",
    silent: "--no-load-optim --rl-offload-optimizer-during-inference",
  }),
  ban("optimizer-offload", {
    about: ["optimizer_cpu_offload", "use_precision_aware_optimizer"],
    when: (a) => a.optimizer_cpu_offload && !a.use_precision_aware_optimizer,
    says: "--optimizer-cpu-offload needs --use-precision-aware-optimizer",
    why: "The optimizer that works on both devices is based on the precision-aware one.",
    fix: "Add --use-precision-aware-optimizer with --use-distributed-optimizer, or leave --optimizer-cpu-offload out.",
    fires: "--optimizer-cpu-offload",
    silent: "--optimizer-cpu-offload --use-precision-aware-optimizer",
  }),
  ban("optimizer-offload-fp8", {
    about: ["fp8_recipe", "optimizer_cpu_offload", "fp8_param_gather"],
    when: (a) => a.optimizer_cpu_offload && a.fp8_param_gather && a.fp8_recipe !== "delayed",
    says: "--optimizer-cpu-offload with --fp8-param-gather needs --fp8-recipe delayed",
    why: "FP8 weights are rebuilt from the host's copy after each step, which is possible only with delayed scaling.",
    fix: "Write --fp8-recipe delayed, or leave --fp8-param-gather out.",
    fires:
      "--optimizer-cpu-offload --use-precision-aware-optimizer --use-distributed-optimizer --fp8-format hybrid --fp8-param-gather --fp8-recipe tensorwise",
    silent:
      "--optimizer-cpu-offload --use-precision-aware-optimizer --use-distributed-optimizer --fp8-format hybrid --fp8-param-gather",
  }),
  ban("checkpoint-local-folder", {
    about: ["non_persistent_local_ckpt_dir", "non_persistent_ckpt_type"],
    when: (a) => a.non_persistent_ckpt_type === "local" && a.non_persistent_local_ckpt_dir === null,
    says: "--non-persistent-ckpt-type local needs --non-persistent-local-ckpt-dir",
    why: "Every node keeps its own copy there. The package nvidia-resiliency-ext, which writes it, must be installed.",
    fix: "Add --non-persistent-local-ckpt-dir DIR on a disk of the node, and install nvidia-resiliency-ext in the image.",
    fires: "--non-persistent-ckpt-type local",
    silent: "--non-persistent-ckpt-type local --non-persistent-local-ckpt-dir /local",
  }),
  ban("checkpoint-replication", {
    about: ["replication", "replication_jump", "non_persistent_ckpt_type"],
    when: (a) => a.replication && (a.replication_jump === null || a.non_persistent_ckpt_type !== "local"),
    says: "--replication needs --replication-jump and --non-persistent-ckpt-type local",
    why: "Every node sends a copy of its local checkpoint to the node at this distance, which needs the distance and local checkpoints.",
    fix: "Add --replication-jump N and --non-persistent-ckpt-type local, or leave --replication out.",
    fires: "--replication",
    silent: "",
  }),
];
