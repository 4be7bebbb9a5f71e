/** What is computed twice, moved away or put off to spare memory. */
import { rulesOf, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");

export const recompute: readonly Step[] = [
  demand("recompute-distributed", {
    about: ["distribute_saved_activations", "tensor_model_parallel_size"],
    check: (a) => {
      if (!a.distribute_saved_activations) return null;
      const missing = [
        a.tensor_model_parallel_size > 1 ? null : "tensor parallelism",
        a.recompute_granularity === "full" ? null : "--recompute-granularity full",
        a.recompute_method === null ? "--recompute-method" : null,
      ].filter((each) => each !== null);
      return missing.length === 0 ? null : `--distribute-saved-activations needs ${missing.join(", ")}`;
    },
    why: "The inputs that full recomputation keeps are split over the tensor-parallel ranks.",
    fix: "Give what the message asks for: --tensor-model-parallel-size above 1 and --recompute-granularity full, without --recompute-method; or leave --distribute-saved-activations out.",
    fires: "--distribute-saved-activations --recompute-granularity full --recompute-method uniform",
    silent: "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1",
  }),
  ban("recompute-selective-method", {
    about: ["recompute_method", "recompute_granularity"],
    when: (a) => a.recompute_granularity === "selective" && a.recompute_method !== null,
    says: "--recompute-method belongs to --recompute-granularity full",
    why: "Selective recomputation names modules, in --recompute-modules, not layers.",
    fix: "Leave --recompute-method and --recompute-num-layers out, or write --recompute-granularity full.",
    fires: "--recompute-granularity selective --recompute-method uniform",
    silent: "--recompute-granularity selective",
  }),
  settle(["sequence_parallel"], (a) => {
    if (a.tensor_model_parallel_size === 1) a.sequence_parallel = false;
  }),
  ban("tensor-overlap-sequence", {
    about: ["tp_comm_overlap", "sequence_parallel"],
    when: (a) => a.tp_comm_overlap && !a.sequence_parallel,
    says: "--tp-comm-overlap needs --sequence-parallel, and tensor parallelism for that",
    why: "The overlapped transfers are the gathers and scatters along the sequence, which only sequence parallelism does.",
    fix: "Add --sequence-parallel with --tensor-model-parallel-size 2 or more, or leave --tp-comm-overlap out.",
    fires: "--tp-comm-overlap --tensor-model-parallel-size 2",
    silent: "--tp-comm-overlap --tensor-model-parallel-size 2 --sequence-parallel",
  }),
  demand("hybrid-context", {
    about: ["hybrid_context_parallel", "calculate_per_token_loss", "dataloader_type"],
    check: (a) => {
      if (!a.hybrid_context_parallel) return null;
      if (a.pipeline_model_parallel_size > 1)
        return "--hybrid-context-parallel cannot be combined with pipeline parallelism";
      if (a.use_megatron_fsdp) return "--hybrid-context-parallel cannot be combined with --use-megatron-fsdp";
      if (a.enable_cuda_graph) return "--hybrid-context-parallel cannot be combined with CUDA graphs";
      if ((a.dataloader_type ?? "single") !== "single")
        return "--hybrid-context-parallel needs --dataloader-type single";
      return a.calculate_per_token_loss ? null : "--hybrid-context-parallel needs --calculate-per-token-loss";
    },
    why: "Every sequence gets as many ranks as its length needs, and ranks see different numbers of tokens: the loss is averaged over tokens, and nothing may assume equal batches.",
    fix: "Add --calculate-per-token-loss and --dataloader-type single, without pipeline stages, --use-megatron-fsdp and CUDA graphs; or leave --hybrid-context-parallel out.",
    fires: "--hybrid-context-parallel",
    silent: "--hybrid-context-parallel --calculate-per-token-loss",
  }),
  ban("connections-tensor-parallel", {
    about: ["tensor_model_parallel_size", "context_parallel_size"],
    when: (a, { architecture, env }) =>
      (a.tensor_model_parallel_size > 1 || a.context_parallel_size > 1) &&
      !a.use_torch_fsdp2 &&
      !a.use_megatron_fsdp &&
      !a.overlap_moe_expert_parallel_comm &&
      architecture < 10 &&
      env("CUDA_DEVICE_MAX_CONNECTIONS") !== "1",
    says: "tensor and context parallelism before Blackwell need CUDA_DEVICE_MAX_CONNECTIONS=1",
    why: "With one hardware queue transfers start in the order of their launch, before the matrix product that hides them.",
    fix: "Set CUDA_DEVICE_MAX_CONNECTIONS=1 in the environment of every rank.",
    fires: "--tensor-model-parallel-size 2 CUDA_DEVICE_MAX_CONNECTIONS=8",
    silent: "--tensor-model-parallel-size 2 CUDA_DEVICE_MAX_CONNECTIONS=8 ARCHITECTURE=10",
  }),
];

export const delays: readonly Step[] = [
  demand("delayed-weight-gradients", {
    about: ["delay_wgrad_compute", "gradient_accumulation_fusion", "cuda_graph_modules"],
    check: (a, { te }) => {
      if (!a.delay_wgrad_compute) return null;
      if (a.transformer_impl !== "transformer_engine")
        return "--delay-wgrad-compute needs --transformer-impl transformer_engine";
      if (!a.gradient_accumulation_fusion && !te("2.7.0"))
        return "--delay-wgrad-compute without fused accumulation needs Transformer Engine 2.7 or later";
      if (!a.overlap_grad_reduce) return null;
      if (!te("2.8.0"))
        return "--delay-wgrad-compute with --overlap-grad-reduce needs Transformer Engine 2.8 or later";
      const captured =
        a.cuda_graph_modules.includes("attn") ||
        (a.cuda_graph_modules.includes("moe_router") &&
          a.moe_shared_expert_intermediate_size !== null &&
          !a.moe_shared_expert_overlap);
      if (!captured) return null;
      if (!te("2.12.0")) return "--delay-wgrad-compute inside CUDA graphs needs Transformer Engine 2.12 or later";
      if (!a.gradient_accumulation_fusion)
        return "--delay-wgrad-compute inside CUDA graphs cannot be combined with --no-gradient-accumulation-fusion";
      return a.cuda_graph_modules.includes("attn") && (a.add_bias_linear || a.add_qkv_bias)
        ? "--delay-wgrad-compute with captured attention needs an attention without biases"
        : null;
    },
    why: "The gradients of weights are computed later, to hide transfers. Kernels, buffers and graphs must each support this.",
    fix: "Follow the message: --transformer-impl transformer_engine, a newer Transformer Engine, fused accumulation, an attention without biases; or leave --delay-wgrad-compute out.",
    base: "local",
    fires: "--delay-wgrad-compute",
    silent: "--delay-wgrad-compute --transformer-impl transformer_engine",
  }),
  demand("activation-offload", {
    about: ["fine_grained_activation_offloading", "transformer_impl"],
    check: (a, { te, env }) => {
      if (!a.fine_grained_activation_offloading) return null;
      if (a.transformer_impl !== "transformer_engine")
        return "--fine-grained-activation-offloading needs --transformer-impl transformer_engine";
      return te("2.10.0") && (env("NVTE_CPU_OFFLOAD_V1") ?? "0") !== "1"
        ? "--fine-grained-activation-offloading needs NVTE_CPU_OFFLOAD_V1=1 from Transformer Engine 2.10 on"
        : null;
    },
    why: "Without that variable the newer offloader of Transformer Engine would move weights too.",
    fix: "Set NVTE_CPU_OFFLOAD_V1=1 in the environment of every rank, with --transformer-impl transformer_engine; or leave --fine-grained-activation-offloading out.",
    fires: "--fine-grained-activation-offloading --offload-modules core_attn",
    silent: "--fine-grained-activation-offloading --offload-modules core_attn NVTE_CPU_OFFLOAD_V1=1",
  }),
  demand("prediction-position-types", {
    about: ["position_embedding_type", "mtp_num_layers"],
    check: (a) =>
      a.mtp_num_layers && !["learned_absolute", "rope", "mrope", "none"].includes(a.position_embedding_type)
        ? `multi-token prediction does not support position embeddings ${a.position_embedding_type}`
        : null,
    why: "A prediction depth sees its tokens shifted by one, and its positions with them. A bias between positions is not shifted, and the engine refuses it.",
    fix: "Give --position-embedding-type rope, mrope, learned_absolute or none, or leave --mtp-num-layers out.",
    fires: "--mtp-num-layers 1 --position-embedding-type relative",
    silent: "--mtp-num-layers 1 --position-embedding-type rope",
  }),
  settle(["cpu_offloading"], (a) => {
    a.cpu_offloading = a.cpu_offloading_num_layers > 0;
  }),
];
