/** Mixtures of experts: their weights, and how tokens reach them. */
import { rulesOf, settle, type Step } from "../../step.ts";

const { ban, demand } = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__");

/** One kind of balancing, or several. */
export const many = (value: string | number | readonly (string | number)[]): readonly (string | number)[] =>
  typeof value === "object" ? value : [value];

export const experts: readonly Step[] = [
  settle(["moe_use_grouped_tensor"], (a) => {
    if (a.use_transformer_engine_op_fuser && a.moe_grouped_gemm) a.moe_use_grouped_tensor = true;
  }),
  ban("grouped-tensor", {
    about: ["moe_use_grouped_tensor", "moe_grouped_gemm"],
    when: (a) => a.moe_use_grouped_tensor && !a.moe_grouped_gemm,
    says: "--moe-use-grouped-tensor needs --moe-grouped-gemm",
    why: "A single tensor holds the weights of all experts of a rank, for one grouped product. Without that product nothing can read it.",
    fix: "Add --moe-grouped-gemm, or leave --moe-use-grouped-tensor out.",
    base: "moe",
    fires: "--moe-use-grouped-tensor",
    silent: "--moe-use-grouped-tensor --moe-grouped-gemm",
  }),
  ban("experts-inference", {
    about: ["transformer_impl", "expert_tensor_parallel_size", "moe_router_dtype", "moe_expert_capacity_factor"],
    when: (a) =>
      a.transformer_impl === "inference_optimized" &&
      a.num_experts !== null &&
      ((a.expert_tensor_parallel_size ?? 1) > 1 ||
        a.moe_expert_capacity_factor !== null ||
        a.moe_router_padding_for_quantization ||
        a.moe_router_dtype !== "fp32" ||
        ((a.swiglu || a.quick_geglu) && !["torch", "vllm"].includes(a.inference_grouped_gemm_backend))),
    says: "inference_optimized experts need an fp32 router without capacity, expert-tensor size 1, and for gated MLPs a torch or vllm backend",
    why: "The kernels for decoding are written only for that case; any other would give wrong sums or none.",
    fix: "Give --moe-router-dtype fp32 and --expert-tensor-parallel-size 1, no --moe-expert-capacity-factor and no router padding, and for gated MLPs --inference-grouped-gemm-backend torch or vllm.",
    base: "moe",
    fires: "--transformer-impl inference_optimized --normalization RMSNorm",
    silent: "--transformer-impl inference_optimized --normalization RMSNorm --moe-router-dtype fp32",
  }),
  ban("experts-negative", {
    about: ["num_experts"],
    when: (a) => a.num_experts !== null && a.num_experts < 0,
    says: "--num-experts is negative",
    why: "A model with 0 experts or without the option is dense; a negative number cannot be built.",
    fix: "Give --num-experts a positive number, or leave it out for a dense model.",
    fires: "--num-experts -1",
    silent: "--num-experts 0",
  }),
  ban("experts-width-alone", {
    about: ["moe_ffn_hidden_size", "num_experts"],
    when: (a) => {
      const mixed = typeof a.moe_layer_freq === "number" ? a.moe_layer_freq > 1 : a.moe_layer_freq.includes(0);
      return a.num_experts === null && a.moe_ffn_hidden_size !== null && !mixed;
    },
    says: "--moe-ffn-hidden-size is given, but --num-experts is missing",
    why: "The width is that of an expert, but the model has no experts. A dense model takes --ffn-hidden-size; probably --num-experts was forgotten.",
    fix: "Add --num-experts N, or leave --moe-ffn-hidden-size out and set --ffn-hidden-size.",
    fires: "--moe-ffn-hidden-size 1024",
    silent: "--moe-ffn-hidden-size 1024 --num-experts 8",
  }),
  demand("experts-grouped-weights", {
    about: ["moe_single_grouped_weight", "moe_single_grouped_bias", "moe_grouped_gemm"],
    check: (a, { te }) => {
      if (!a.moe_single_grouped_weight && !a.moe_single_grouped_bias) return null;
      if (!a.moe_grouped_gemm) return "--moe-single-grouped-weight and -bias need --moe-grouped-gemm";
      if (!te("2.14.0")) return "--moe-single-grouped-weight and -bias need Transformer Engine 2.14 or later";
      if (a.moe_single_grouped_bias && !a.add_bias_linear) return "--moe-single-grouped-bias needs biases";
      if (!a.moe_single_grouped_weight) return null;
      if ((a.fp8 !== null && a.fp8_recipe !== "mxfp8") || (a.fp4 !== null && a.fp4_recipe !== "nvfp4"))
        return "--moe-single-grouped-weight works with 16-bit weights, --fp8-recipe mxfp8 or --fp4-recipe nvfp4";
      return a.fp4 !== null && !a.fp4_param_gather
        ? "--moe-single-grouped-weight with --fp4-format needs --fp4-param-gather"
        : null;
    },
    why: "All experts of a rank then share one tensor, which only newer kernels quantize and multiply as a whole.",
    fix: "Add --moe-grouped-gemm and --moe-use-grouped-tensor with Transformer Engine 2.14 or later, and the formats in the message; or leave --moe-single-grouped-weight and --moe-single-grouped-bias out.",
    base: "moe",
    fires: "--moe-single-grouped-weight",
    silent: "--moe-single-grouped-weight --moe-grouped-gemm --moe-use-grouped-tensor",
  }),
  ban("experts-grouped-tensor", {
    about: ["moe_single_grouped_weight", "moe_single_grouped_bias", "moe_use_grouped_tensor"],
    when: (a) => (a.moe_single_grouped_weight || a.moe_single_grouped_bias) && !a.moe_use_grouped_tensor,
    says: "--moe-single-grouped-weight and -bias need --moe-use-grouped-tensor",
    why: "From core 0.20 on the kernel for a single tensor is chosen by a separate argument, which --use-transformer-engine-op-fuser also sets.",
    fix: "Add --moe-use-grouped-tensor, or leave --moe-single-grouped-weight and --moe-single-grouped-bias out.",
    base: "moeBiased",
    fires: "--moe-single-grouped-bias --moe-grouped-gemm",
    silent: "--moe-single-grouped-bias --moe-grouped-gemm --moe-use-grouped-tensor",
  }),
  ban("experts-grouped-fuser", {
    about: ["moe_single_grouped_weight", "use_transformer_engine_op_fuser"],
    when: (a) => a.moe_single_grouped_weight && !a.use_transformer_engine_op_fuser,
    says: "--moe-single-grouped-weight needs --use-transformer-engine-op-fuser before core 0.20",
    why: "Before core 0.20 only the fused operations of Transformer Engine kept one tensor whole: its other layer splits it by experts.",
    fix: "Add --use-transformer-engine-op-fuser, leave --moe-single-grouped-weight out, or take core 0.20.",
    base: "moe",
    fires: "--moe-single-grouped-weight --moe-grouped-gemm",
    silent: "--moe-single-grouped-weight --moe-grouped-gemm --use-transformer-engine-op-fuser",
    gone: "0.20",
  }),
  demand("dispatcher", {
    about: ["moe_enable_deepep", "moe_flex_dispatcher_backend", "moe_token_dispatcher_type"],
    check: (a) => {
      const [flex, backend] = [a.moe_token_dispatcher_type === "flex", a.moe_flex_dispatcher_backend];
      if (a.moe_enable_deepep && !flex) return "--moe-enable-deepep needs --moe-token-dispatcher-type flex";
      if (a.moe_enable_deepep && backend === "hybridep")
        return "--moe-enable-deepep contradicts --moe-flex-dispatcher-backend hybridep";
      if (flex && a.moe_pad_expert_input_to_capacity && (a.moe_enable_deepep || backend === "deepep"))
        return "the deepep dispatcher cannot be combined with --moe-pad-expert-input-to-capacity";
      if (backend === "ncclep" && !flex)
        return "--moe-flex-dispatcher-backend ncclep needs --moe-token-dispatcher-type flex";
      if (backend === "ncclep" && a.moe_use_grouped_tensor && !a.use_transformer_engine_op_fuser)
        return "--moe-use-grouped-tensor with the ncclep dispatcher needs --use-transformer-engine-op-fuser";
      const narrow = a.moe_dispatch_fwd_dtype !== "bf16" || a.moe_combine_bwd_dtype !== "bf16";
      if (!narrow) return null;
      if (!flex || backend !== "ncclep")
        return "--moe-dispatch-fwd-dtype and --moe-combine-bwd-dtype need --moe-token-dispatcher-type flex with --moe-flex-dispatcher-backend ncclep";
      return a.use_transformer_engine_op_fuser && a.moe_grouped_gemm
        ? null
        : "--moe-dispatch-fwd-dtype and --moe-combine-bwd-dtype need --use-transformer-engine-op-fuser and --moe-grouped-gemm";
    },
    why: "The flex dispatcher passes tokens to one of several libraries, each with its own limits; only the fused grouped product reads tokens sent in FP8.",
    fix: "Give the options of one library: --moe-token-dispatcher-type flex with --moe-flex-dispatcher-backend deepep, hybridep or ncclep; or leave its options out and write --moe-token-dispatcher-type alltoall.",
    base: "moe",
    fires: "--moe-enable-deepep",
    silent: "--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend deepep",
  }),
  ban("dispatcher-two-counts", {
    about: ["moe_deepep_num_sms", "moe_hybridep_num_sms", "moe_flex_dispatcher_num_sms"],
    when: (a) =>
      a.moe_flex_dispatcher_num_sms === null &&
      a.moe_deepep_num_sms !== null &&
      a.moe_hybridep_num_sms !== null &&
      a.moe_deepep_num_sms !== a.moe_hybridep_num_sms,
    says: "--moe-deepep-num-sms and --moe-hybridep-num-sms are old names of --moe-flex-dispatcher-num-sms and differ",
    why: "Both are old names of the same number, but their values differ, and the engine stops.",
    fix: "Write --moe-flex-dispatcher-num-sms N instead of both.",
    base: "moe",
    fires: "--moe-deepep-num-sms 20 --moe-hybridep-num-sms 16",
    silent: "--moe-flex-dispatcher-num-sms 20",
  }),
  demand("shared-experts", {
    about: ["moe_shared_expert_intermediate_size", "moe_shared_expert_overlap", "moe_token_dispatcher_type"],
    check: (a) => {
      const width = a.moe_shared_expert_intermediate_size;
      if (width === null) return null;
      if (width <= 0) return `--moe-shared-expert-intermediate-size ${width} is not positive`;
      return a.moe_shared_expert_overlap && a.moe_token_dispatcher_type === "allgather"
        ? "--moe-shared-expert-overlap needs --moe-token-dispatcher-type alltoall or flex"
        : null;
    },
    why: "The width is that of all shared experts together; they are computed while tokens travel.",
    fix: "Give --moe-shared-expert-intermediate-size a positive width, and with --moe-shared-expert-overlap --moe-token-dispatcher-type alltoall or flex.",
    base: "moe",
    fires: "--moe-shared-expert-intermediate-size 0",
    silent: "--moe-shared-expert-intermediate-size 1024",
  }),
  demand("balancing-coefficients", {
    about: ["moe_aux_loss_coeff", "moe_router_load_balancing_type"],
    check: (a) => {
      const [kinds, coefficients] = [many(a.moe_router_load_balancing_type), many(a.moe_aux_loss_coeff)];
      return kinds.length < 2 || kinds.length === coefficients.length
        ? null
        : `${kinds.length} kinds of load balancing have ${coefficients.length} coefficients`;
    },
    why: "Every kind of --moe-router-load-balancing-type has its own --moe-aux-loss-coeff.",
    fix: "Give --moe-aux-loss-coeff one number for each kind that --moe-router-load-balancing-type lists.",
    base: "moe",
    fires: "--moe-router-load-balancing-type aux_loss seq_aux_loss",
    silent: "--moe-router-load-balancing-type aux_loss seq_aux_loss --moe-aux-loss-coeff 0.01 0.01",
  }),
  settle(["moe_expert_capacity_factor"], (a) => {
    if (a.moe_expert_capacity_factor !== null && a.moe_expert_capacity_factor < 0)
      a.moe_expert_capacity_factor = null;
  }),
  ban("capacity-padding", {
    about: ["moe_pad_expert_input_to_capacity", "moe_expert_capacity_factor"],
    when: (a) => a.moe_pad_expert_input_to_capacity && a.moe_expert_capacity_factor === null,
    says: "--moe-pad-expert-input-to-capacity needs --moe-expert-capacity-factor",
    why: "Padding fills every expert up to its capacity, but no capacity is given.",
    fix: "Add --moe-expert-capacity-factor N, or leave --moe-pad-expert-input-to-capacity out.",
    base: "moe",
    fires: "--moe-pad-expert-input-to-capacity",
    silent: "--moe-pad-expert-input-to-capacity --moe-expert-capacity-factor 1.0",
  }),
  demand("rank-capacity", {
    about: ["moe_expert_rank_capacity_factor", "moe_flex_dispatcher_backend", "use_transformer_engine_op_fuser"],
    check: (a) => {
      if (a.moe_expert_rank_capacity_factor === null) return null;
      if (a.moe_flex_dispatcher_backend === "deepep")
        return "--moe-expert-rank-capacity-factor needs --moe-flex-dispatcher-backend hybridep or ncclep";
      return a.moe_flex_dispatcher_backend === "hybridep" &&
        !a.use_transformer_engine_op_fuser &&
        !a.moe_use_grouped_tensor
        ? "--moe-expert-rank-capacity-factor with hybridep needs --use-transformer-engine-op-fuser or --moe-use-grouped-tensor"
        : null;
    },
    why: "Only these dispatchers and products support buffers of a fixed size per rank.",
    fix: "Write --moe-flex-dispatcher-backend ncclep, or hybridep with --use-transformer-engine-op-fuser or --moe-use-grouped-tensor; or leave --moe-expert-rank-capacity-factor out.",
    base: "moe",
    fires: "--moe-expert-rank-capacity-factor 1.5",
    silent:
      "--moe-expert-rank-capacity-factor 1.5 --moe-token-dispatcher-type flex --moe-flex-dispatcher-backend ncclep",
  }),
];
