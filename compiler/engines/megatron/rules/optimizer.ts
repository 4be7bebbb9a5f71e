/** Optimizers, their states, and the buckets that gradients travel in. */
import { rulesOf, settle, type Step } from "../step.ts";

const { ban } = rulesOf("megatron/training/arguments.py: validate_args");
const config = rulesOf("megatron/core/optimizer/optimizer_config.py: OptimizerConfig.__post_init__");
const emerging = rulesOf("megatron/core/optimizer/__init__.py: _get_megatron_emerging_optimizer");
const ddp = rulesOf(
  "megatron/core/distributed/distributed_data_parallel_config.py: DistributedDataParallelConfig.__post_init__",
);

const isEmerging = (name: string): boolean => name !== "sgd" && name !== "adam";

export const optimizers: readonly Step[] = [
  settle(["optimizer", "use_layer_wise_distributed_optimizer", "use_distributed_optimizer"], (a) => {
    a.use_layer_wise_distributed_optimizer = false;
    if (!isEmerging(a.optimizer)) return;
    if (a.optimizer === "dist_muon") {
      a.optimizer = "muon";
      a.use_layer_wise_distributed_optimizer = true;
    }
    if (!a.use_distributed_optimizer) return;
    a.use_layer_wise_distributed_optimizer = true;
    a.use_distributed_optimizer = false;
  }),
  ban("optimizer-matrix-fsdp", {
    about: ["optimizer", "use_torch_fsdp2", "use_megatron_fsdp"],
    when: (a) => isEmerging(a.optimizer) && (a.use_torch_fsdp2 || a.use_megatron_fsdp),
    says: "optimizers other than adam and sgd cannot be combined with any form of FSDP",
    why: "Such an optimizer works on whole matrices, but a rank under FSDP holds only a shard.",
    fix: "Write --optimizer adam or sgd, or leave --use-torch-fsdp2 and --use-megatron-fsdp out.",
    fires:
      "--optimizer muon --use-torch-fsdp2 --no-gradient-accumulation-fusion --untie-embeddings-and-output-weights CUDA_DEVICE_MAX_CONNECTIONS=8",
    silent: "--optimizer muon",
  }),
  ban("optimizer-matrix-checkpoint", {
    about: ["ckpt_format", "optimizer"],
    when: (a) => isEmerging(a.optimizer) && a.ckpt_format !== "torch" && a.ckpt_format !== "torch_dist",
    says: "optimizers other than adam and sgd need --ckpt-format torch or torch_dist",
    why: "The states of such an optimizer follow whole layers, which the formats of FSDP, made for shards, cannot express.",
    fix: "Write --ckpt-format torch_dist or torch.",
    fires: "--optimizer muon --ckpt-format torch_dcp",
    silent: "--optimizer muon --ckpt-format torch_dist",
  }),
  emerging.ban("optimizer-matrix-fp16", {
    about: ["optimizer", "fp16"],
    when: (a) => isEmerging(a.optimizer) && a.fp16,
    says: "optimizers other than adam and sgd cannot train in fp16",
    why: "Such an optimizer works on whole gradient matrices and does not undo a loss scale: the run stops when the optimizer is built.",
    fix: "Write --bf16 instead of --fp16, or --optimizer adam or sgd.",
    severity: "warning",
    base: "fp32",
    fires: "--optimizer muon --fp16",
    silent: "--optimizer muon --bf16",
  }),
  ban("gloo-legacy-checkpoint", {
    about: ["use_gloo_process_groups", "ckpt_format"],
    when: (a) => !a.use_gloo_process_groups && a.use_distributed_optimizer && !a.use_dist_ckpt,
    says: "--ckpt-format torch with --use-distributed-optimizer needs Gloo process groups, which are turned off",
    why: "The old format collects the optimizer's shards on the hosts, over Gloo. The engine's own message is empty.",
    fix: "Write --ckpt-format torch_dist, or leave --disable-gloo-process-groups out.",
    fires: "--disable-gloo-process-groups --use-distributed-optimizer --ckpt-format torch",
    silent: "--disable-gloo-process-groups --use-distributed-optimizer --ckpt-format torch_dist",
  }),
  ban("gloo-reshardable", {
    about: ["distrib_optim_fully_reshardable_mem_efficient", "use_gloo_process_groups"],
    when: (a) =>
      !a.use_gloo_process_groups &&
      a.use_distributed_optimizer &&
      a.dist_ckpt_optim_fully_reshardable &&
      a.distrib_optim_fully_reshardable_mem_efficient,
    says: "--distrib-optim-fully-reshardable-mem-efficient needs Gloo process groups, which are turned off",
    why: "This form of the checkpoint spares device memory by collecting shards on the hosts, over Gloo.",
    fix: "Leave --disable-gloo-process-groups out, or --distrib-optim-fully-reshardable-mem-efficient.",
    fires:
      "--disable-gloo-process-groups --use-distributed-optimizer --dist-ckpt-optim-fully-reshardable --distrib-optim-fully-reshardable-mem-efficient",
    silent:
      "--use-distributed-optimizer --dist-ckpt-optim-fully-reshardable --distrib-optim-fully-reshardable-mem-efficient",
  }),
  ban("fake-group-flex", {
    about: ["moe_token_dispatcher_type", "fake_process_group"],
    when: (a) => a.fake_process_group && a.moe_token_dispatcher_type === "flex",
    says: "--fake-process-group cannot be combined with --moe-token-dispatcher-type flex",
    why: "The flex dispatcher communicates outside the process group, and a fake group has no peers: it would wait forever.",
    fix: "Write --moe-token-dispatcher-type alltoall or allgather, or leave --fake-process-group out.",
    base: "moe",
    fires: "--fake-process-group --moe-token-dispatcher-type flex --moe-router-dtype fp32",
    silent: "--fake-process-group --moe-token-dispatcher-type alltoall",
  }),
  settle(["check_for_nan_in_loss_and_grad", "use_gloo_process_groups"], (a) => {
    if (a.fake_process_group) a.check_for_nan_in_loss_and_grad = a.use_gloo_process_groups = false;
  }),
];

const states = [
  ["main_grads_dtype", "--main-grads-dtype bf16"],
  ["main_params_dtype", "--main-params-dtype fp16"],
  ["exp_avg_dtype", "--exp-avg-dtype bf16"],
  ["exp_avg_sq_dtype", "--exp-avg-sq-dtype bf16"],
] as const;

export const optimizerConfig: readonly Step[] = [
  config.ban("overlap-step-reused-buffer", {
    about: ["overlap_param_gather_with_optimizer_step", "reuse_grad_buf_for_mxfp8_param_ag"],
    when: (a) => a.reuse_grad_buf_for_mxfp8_param_ag && a.overlap_param_gather_with_optimizer_step,
    says: "--overlap-param-gather-with-optimizer-step cannot be combined with --reuse-grad-buf-for-mxfp8-param-ag",
    why: "Weights would be gathered into a buffer whose gradients the optimizer still reads.",
    fix: "Leave --overlap-param-gather-with-optimizer-step out, or --reuse-grad-buf-for-mxfp8-param-ag.",
    fires:
      "--reuse-grad-buf-for-mxfp8-param-ag --fp8-format e4m3 --fp8-recipe mxfp8 --fp8-param-gather --overlap-param-gather-with-optimizer-step --overlap-param-gather --overlap-grad-reduce --use-distributed-optimizer --ckpt-format torch --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3",
    silent:
      "--reuse-grad-buf-for-mxfp8-param-ag --fp8-format e4m3 --fp8-recipe mxfp8 --fp8-param-gather --use-distributed-optimizer",
  }),
  config.ban("optimizer-precision-adam", {
    about: ["use_precision_aware_optimizer", "optimizer"],
    when: (a) => a.use_precision_aware_optimizer && a.optimizer !== "adam",
    says: "--use-precision-aware-optimizer needs --optimizer adam",
    why: "Only the fused Adam keeps its states in narrower formats. Another optimizer would keep them in fp32 and save no memory.",
    fix: "Write --optimizer adam, or leave --use-precision-aware-optimizer out.",
    fires: "--use-precision-aware-optimizer --optimizer sgd",
    silent: "--use-precision-aware-optimizer --use-distributed-optimizer",
  }),
  config.ban("optimizer-precision-kernel", {
    about: ["use_precision_aware_optimizer"],
    when: (a, { te }) => a.use_precision_aware_optimizer && !a.optimizer_cpu_offload && !te(),
    says: "--use-precision-aware-optimizer needs the fused Adam of Transformer Engine",
    why: "Only the fused Adam of Transformer Engine updates states in narrower formats. Without the package the optimizer cannot be built.",
    fix: "Use an image with Transformer Engine, or leave --use-precision-aware-optimizer out.",
    base: "local",
    fires: "--use-precision-aware-optimizer TE=none",
    silent: "--use-precision-aware-optimizer",
  }),
  ...states.map(([name, wrong]) =>
    config.ban(`optimizer-state-${wrong.slice(2).split(" ")[0] ?? name}`, {
      about: [name, "use_precision_aware_optimizer"],
      when: (a) => !a.use_precision_aware_optimizer && a[name] !== "fp32",
      says: `${wrong} needs --use-precision-aware-optimizer`,
      why: "The ordinary optimizer keeps its gradients, master weights and moments in fp32 and has no code for another format.",
      fix: `Add --use-precision-aware-optimizer with --use-distributed-optimizer, or leave ${wrong.split(" ")[0]} out.`,
      fires: wrong,
      silent: `${wrong} --use-precision-aware-optimizer --use-distributed-optimizer`,
    }),
  ),
  ddp.ban("buffer-reuse-gather", {
    about: ["reuse_grad_buf_for_mxfp8_param_ag", "fp8_param_gather"],
    when: (a) => !a.use_torch_fsdp2 && a.reuse_grad_buf_for_mxfp8_param_ag && !a.fp8_param_gather,
    says: "--reuse-grad-buf-for-mxfp8-param-ag needs --fp8-param-gather",
    why: "The buffer is reused to gather FP8 weights, so it needs them.",
    fix: "Add --fp8-format e4m3 --fp8-recipe mxfp8 --fp8-param-gather, or leave --reuse-grad-buf-for-mxfp8-param-ag out.",
    fires: "--reuse-grad-buf-for-mxfp8-param-ag --use-distributed-optimizer",
    silent:
      "--reuse-grad-buf-for-mxfp8-param-ag --use-distributed-optimizer --fp8-format e4m3 --fp8-recipe mxfp8 --fp8-param-gather",
  }),
  ddp.ban("accumulation-patterns", {
    about: ["ddp_param_name_patterns_for_fp32_local_accumulation", "accumulate_allreduce_grads_in_fp32"],
    when: (a) =>
      !a.use_torch_fsdp2 &&
      a.ddp_param_name_patterns_for_fp32_local_accumulation.length > 0 &&
      a.accumulate_allreduce_grads_in_fp32,
    says: "--ddp-param-name-patterns-for-fp32-local-accumulation picks some gradients for fp32, and all already are in fp32",
    why: "With bf16 weights gradients accumulate in fp32 unless --grad-reduce-in-bf16 says otherwise.",
    fix: "Add --grad-reduce-in-bf16, or leave --ddp-param-name-patterns-for-fp32-local-accumulation out.",
    fires: "--ddp-param-name-patterns-for-fp32-local-accumulation all",
    silent: "--ddp-param-name-patterns-for-fp32-local-accumulation all --grad-reduce-in-bf16",
  }),
  ddp.demand("gradient-buckets", {
    about: ["ddp_num_buckets", "ddp_bucket_size"],
    check: (a) => {
      if (a.use_torch_fsdp2 || a.ddp_num_buckets === null) return null;
      if (a.ddp_bucket_size !== null)
        return "--ddp-num-buckets and --ddp-bucket-size both set the buckets of gradients";
      return a.ddp_num_buckets > 0 ? null : `--ddp-num-buckets ${a.ddp_num_buckets} is not positive`;
    },
    why: "Gradients travel in buckets: give either their number or their size, at least 1.",
    fix: "Give --ddp-num-buckets 1 or more, or --ddp-bucket-size, and not both.",
    fires: "--ddp-num-buckets 0",
    silent: "--ddp-num-buckets 4",
  }),
];
