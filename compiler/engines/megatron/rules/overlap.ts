/** Overlap of communication with computation, and the fully sharded forms of data parallelism. */
import { rulesOf, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");

const fsdp2 = (name: string, about: Parameters<typeof ban>[1]): Step => ban(`fsdp2-${name}`, about);

export const overlap: readonly Step[] = [
  ban("overlap-gather-optimizer", {
    about: ["overlap_param_gather", "use_distributed_optimizer"],
    when: (a) =>
      a.overlap_param_gather && !a.use_distributed_optimizer && !a.use_megatron_fsdp && a.optimizer !== "dist_muon",
    says: "--overlap-param-gather needs --use-distributed-optimizer or --use-megatron-fsdp",
    why: "Weights are gathered only if a sharded optimizer has updated parts of them.",
    fix: "Add --use-distributed-optimizer (or --use-megatron-fsdp), or leave --overlap-param-gather out.",
    fires: "--overlap-param-gather --overlap-grad-reduce",
    silent: "--overlap-param-gather --overlap-grad-reduce --use-distributed-optimizer",
  }),
  ban("overlap-gather-reduce", {
    about: ["overlap_param_gather", "overlap_grad_reduce"],
    when: (a) => a.overlap_param_gather && !a.overlap_grad_reduce,
    says: "--overlap-param-gather needs --overlap-grad-reduce",
    why: "Both use the same buckets; the gather of one starts where its reduction ended.",
    fix: "Add --overlap-grad-reduce, or leave --overlap-param-gather out.",
    fires: "--overlap-param-gather --use-distributed-optimizer",
    silent: "--overlap-param-gather --overlap-grad-reduce --use-distributed-optimizer",
  }),
  fsdp2("pipeline", {
    about: ["pipeline_model_parallel_size", "use_torch_fsdp2"],
    when: (a) => a.use_torch_fsdp2 && a.pipeline_model_parallel_size !== 1,
    says: "--use-torch-fsdp2 cannot be combined with pipeline or expert parallelism",
    why: "PyTorch's FSDP2 wraps the whole model of a rank: it does not support pipeline stages or expert groups.",
    fix: "Set --pipeline-model-parallel-size 1 and --expert-model-parallel-size 1, or leave --use-torch-fsdp2 out.",
    fires: "--use-torch-fsdp2 --pipeline-model-parallel-size 2",
    silent: "--use-torch-fsdp2 --pipeline-model-parallel-size 1",
  }),
  fsdp2("experts", {
    about: ["expert_model_parallel_size", "use_torch_fsdp2"],
    when: (a) => a.use_torch_fsdp2 && a.expert_model_parallel_size !== 1,
    says: "--use-torch-fsdp2 cannot be combined with expert parallelism",
    why: "PyTorch's FSDP2 wraps the whole model of a rank: it does not support expert groups.",
    fix: "Set --expert-model-parallel-size 1, or leave --use-torch-fsdp2 out.",
    base: "moe",
    fires: "--use-torch-fsdp2",
    silent: "--use-torch-fsdp2 --expert-model-parallel-size 1",
  }),
  fsdp2("distributed-optimizer", {
    about: ["use_distributed_optimizer", "use_torch_fsdp2"],
    when: (a) => a.use_torch_fsdp2 && a.use_distributed_optimizer,
    says: "--use-torch-fsdp2 already shards the optimizer: --use-distributed-optimizer would do it twice",
    why: "FSDP2 shards the optimizer's states together with their weights. The distributed optimizer would shard them a second time, along other lines.",
    fix: "Leave --use-distributed-optimizer out, or --use-torch-fsdp2.",
    fires: "--use-torch-fsdp2 --use-distributed-optimizer",
    silent: "--use-torch-fsdp2",
  }),
  fsdp2("fused-accumulation", {
    about: ["gradient_accumulation_fusion", "use_torch_fsdp2"],
    when: (a) => a.use_torch_fsdp2 && a.gradient_accumulation_fusion,
    says: "--use-torch-fsdp2 needs --no-gradient-accumulation-fusion",
    why: "The fused kernel adds into a buffer that lives as long as the weights; FSDP2 frees weights after use.",
    fix: "Add --no-gradient-accumulation-fusion.",
    fires: "--use-torch-fsdp2",
    silent: "--use-torch-fsdp2 --no-gradient-accumulation-fusion",
  }),
  fsdp2("checkpoint-format", {
    about: ["ckpt_format", "use_torch_fsdp2"],
    when: (a) => a.use_torch_fsdp2 && a.ckpt_format !== "torch_dist" && a.ckpt_format !== "torch_dcp",
    says: "--use-torch-fsdp2 needs --ckpt-format torch_dist or torch_dcp",
    why: "Weights under FSDP2 are sharded tensors, which the other formats cannot write: the first save would stop.",
    fix: "Write --ckpt-format torch_dist or torch_dcp.",
    fires: "--use-torch-fsdp2 --ckpt-format torch",
    silent: "--use-torch-fsdp2 --ckpt-format torch_dcp",
  }),
  fsdp2("tied", {
    about: ["untie_embeddings_and_output_weights", "use_torch_fsdp2"],
    when: (a) => a.use_torch_fsdp2 && !a.untie_embeddings_and_output_weights,
    says: "--use-torch-fsdp2 needs --untie-embeddings-and-output-weights",
    why: "A table shared by the first and the last module cannot belong to two wrapped units.",
    fix: "Add --untie-embeddings-and-output-weights. Train a model with tied embeddings without --use-torch-fsdp2.",
    fires: "--use-torch-fsdp2",
    silent: "--use-torch-fsdp2 --untie-embeddings-and-output-weights",
  }),
  fsdp2("fp16", {
    about: ["fp16", "use_torch_fsdp2"],
    when: (a) => a.use_torch_fsdp2 && a.fp16,
    says: "--use-torch-fsdp2 cannot be combined with --fp16",
    why: "fp16 needs a loss scaler, which is not implemented for FSDP2: small gradients would be lost.",
    fix: "Train with --bf16, or without --use-torch-fsdp2.",
    fires: "--use-torch-fsdp2 --fp16",
    silent: "--use-torch-fsdp2",
  }),
  fsdp2("connections", {
    about: ["use_torch_fsdp2"],
    when: (a, { env }) => a.use_torch_fsdp2 && env("CUDA_DEVICE_MAX_CONNECTIONS") === "1",
    says: "--use-torch-fsdp2 needs CUDA_DEVICE_MAX_CONNECTIONS above 1, or unset",
    why: "With one hardware queue, gathering weights waits for the kernels that it should overlap with: nothing overlaps, and the engine refuses it.",
    fix: "Leave CUDA_DEVICE_MAX_CONNECTIONS unset, or set it to 8.",
    fires: "--use-torch-fsdp2 CUDA_DEVICE_MAX_CONNECTIONS=1",
    silent: "--use-torch-fsdp2 CUDA_DEVICE_MAX_CONNECTIONS=8",
  }),
  settle(["fp8_param_gather", "fp4_param_gather"], (a, { te }) => {
    if (!a.use_torch_fsdp2) return;
    if (a.fp8_param_gather && te("2.0.0")) a.fp8_param_gather = false;
    if (a.fp4_param_gather && !te("2.7.0")) a.fp4_param_gather = false;
  }),
  demand("overlap-optimizer-step", {
    about: ["overlap_param_gather_with_optimizer_step"],
    check: (a) => {
      if (!a.overlap_param_gather_with_optimizer_step) return null;
      const missing = [
        a.use_distributed_optimizer ? null : "--use-distributed-optimizer",
        a.overlap_param_gather ? null : "--overlap-param-gather",
        a.virtual_pipeline_model_parallel_size === null ? "an interleaved pipeline" : null,
        a.use_dist_ckpt ? "--ckpt-format torch" : null,
      ].filter((each) => each !== null);
      return missing.length === 0 ? null : `--overlap-param-gather-with-optimizer-step needs ${missing.join(", ")}`;
    },
    why: "The first stage's weights are gathered while later chunks are still being updated, which needs sharded states, chunks, and a checkpoint of whole ranks.",
    fix: "Add --use-distributed-optimizer, virtual pipeline stages and --ckpt-format torch, or leave --overlap-param-gather-with-optimizer-step out.",
    fires: "--overlap-param-gather-with-optimizer-step --overlap-param-gather --overlap-grad-reduce",
    silent:
      "--overlap-param-gather-with-optimizer-step --overlap-param-gather --overlap-grad-reduce --use-distributed-optimizer --ckpt-format torch --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3",
  }),
];

export const megatronFsdp: readonly Step[] = [
  ban("fsdp-second-version", {
    about: ["use_distributed_optimizer", "megatron_fsdp_version"],
    when: (a) => a.use_megatron_fsdp && a.megatron_fsdp_version === 2 && a.use_distributed_optimizer,
    says: "--megatron-fsdp-version 2 cannot be combined with --use-distributed-optimizer",
    why: "The second version shards the optimizer by itself; the first one uses the distributed optimizer.",
    fix: "Leave --use-distributed-optimizer out, or write --megatron-fsdp-version 1.",
    fires: "--use-megatron-fsdp --megatron-fsdp-version 2 --use-distributed-optimizer --ckpt-format fsdp_dtensor",
    silent: "--use-megatron-fsdp --megatron-fsdp-version 2 --ckpt-format fsdp_dtensor",
  }),
  settle(["use_distributed_optimizer", "reuse_grad_buf_for_mxfp8_param_ag"], (a) => {
    if (!a.use_megatron_fsdp) return;
    if (a.megatron_fsdp_version !== 2) a.use_distributed_optimizer = true;
    a.reuse_grad_buf_for_mxfp8_param_ag = false;
  }),
  ban("fsdp-grouped-weights", {
    about: ["moe_single_grouped_weight", "moe_single_grouped_bias", "use_megatron_fsdp"],
    when: (a) => a.use_megatron_fsdp && (a.moe_single_grouped_weight || a.moe_single_grouped_bias),
    says: "--use-megatron-fsdp cannot shard the single grouped weights of the experts",
    why: "A single tensor then backs the weights of many experts, but FSDP moves tensors one by one.",
    fix: "Leave --moe-single-grouped-weight and --moe-single-grouped-bias out, or --use-megatron-fsdp.",
    base: "moe",
    fires: "--use-megatron-fsdp --moe-single-grouped-weight",
    silent: "--moe-single-grouped-weight",
  }),
  ban("fsdp-optimizer", {
    about: ["optimizer", "use_megatron_fsdp"],
    when: (a) => a.use_megatron_fsdp && a.optimizer !== "sgd" && a.optimizer !== "adam",
    says: "--use-megatron-fsdp knows the optimizers adam and sgd",
    why: "Optimizers that work on whole matrices, such as Muon, cannot run on the shards that FSDP leaves on a rank.",
    fix: "Write --optimizer adam or sgd, or shard with --use-distributed-optimizer instead of --use-megatron-fsdp.",
    fires: "--use-megatron-fsdp --optimizer muon",
    silent: "--use-megatron-fsdp --optimizer adam",
  }),
  ban("fsdp-weight-hash", {
    about: ["check_weight_hash_across_dp_replicas_interval", "data_parallel_sharding_strategy"],
    when: (a) =>
      a.use_megatron_fsdp &&
      a.data_parallel_sharding_strategy === "optim_grads_params" &&
      a.check_weight_hash_across_dp_replicas_interval !== null,
    says: "with --data-parallel-sharding-strategy optim_grads_params no rank has whole weights to compare",
    why: "The check compares the weights of replicas, and with this strategy no rank has whole weights to compare.",
    fix: "Leave --check-weight-hash-across-dp-replicas-interval out, or write a --data-parallel-sharding-strategy that leaves weights whole: no_shard, optim or optim_grads.",
    fires: "--use-megatron-fsdp --check-weight-hash-across-dp-replicas-interval 10",
    silent: "--use-megatron-fsdp",
  }),
  ban("fsdp-connections", {
    about: ["use_megatron_fsdp"],
    when: (a, { env }) => a.use_megatron_fsdp && env("CUDA_DEVICE_MAX_CONNECTIONS") === "1",
    says: "--use-megatron-fsdp needs CUDA_DEVICE_MAX_CONNECTIONS above 1, or unset",
    why: "With one hardware queue, gathering weights waits for the kernels that it should overlap with: nothing overlaps, and the engine refuses it.",
    fix: "Leave CUDA_DEVICE_MAX_CONNECTIONS unset, or set it to 8.",
    fires: "--use-megatron-fsdp CUDA_DEVICE_MAX_CONNECTIONS=1",
    silent: "--use-megatron-fsdp CUDA_DEVICE_MAX_CONNECTIONS=8",
  }),
  ban("fsdp-checkpoint-format", {
    about: ["ckpt_format", "use_megatron_fsdp"],
    when: (a) => a.use_megatron_fsdp && a.ckpt_format !== "fsdp_dtensor",
    says: "--use-megatron-fsdp needs --ckpt-format fsdp_dtensor",
    why: "Weights under Megatron's FSDP are distributed tensors, which only fsdp_dtensor writes: with another format the first save would stop.",
    fix: "Write --ckpt-format fsdp_dtensor.",
    fires: "--use-megatron-fsdp --ckpt-format torch_dist",
    silent: "--use-megatron-fsdp --ckpt-format fsdp_dtensor",
  }),
  settle(["fsdp_manual_registration", "fsdp_double_buffer"], (a) => {
    if (!a.use_megatron_fsdp) return;
    if (a.nccl_ub) a.fsdp_manual_registration = a.fsdp_double_buffer = true;
    if (a.megatron_fsdp_max_pool_double_buffer) a.fsdp_double_buffer = true;
  }),
  ban("fsdp-meta-device", {
    about: ["init_model_with_meta_device", "data_parallel_sharding_strategy"],
    when: (a) =>
      a.use_megatron_fsdp && a.init_model_with_meta_device && a.data_parallel_sharding_strategy === "no_shard",
    says: "--init-model-with-meta-device has no use where --data-parallel-sharding-strategy no_shard keeps all weights",
    why: "The meta device saves the memory of weights that a rank will not keep. Without sharding it keeps all of them.",
    fix: "Write a --data-parallel-sharding-strategy that shards (optim, optim_grads or optim_grads_params), or leave --init-model-with-meta-device out.",
    fires: "--use-megatron-fsdp --init-model-with-meta-device --data-parallel-sharding-strategy no_shard",
    silent: "--use-megatron-fsdp --init-model-with-meta-device --data-parallel-sharding-strategy optim_grads",
  }),
  ban("fsdp-registration", {
    about: ["fsdp_manual_registration", "nccl_ub"],
    when: (a) => a.fsdp_manual_registration && !(a.use_megatron_fsdp && a.nccl_ub),
    says: "--fsdp-manual-registration needs --use-megatron-fsdp and --use-nccl-ub",
    why: "The switch registers FSDP's buffers as NCCL user buffers, and needs both.",
    fix: "Add --use-megatron-fsdp and --use-nccl-ub, or leave --fsdp-manual-registration out.",
    fires: "--fsdp-manual-registration",
    silent: "--fsdp-manual-registration --use-megatron-fsdp --use-nccl-ub",
  }),
];
