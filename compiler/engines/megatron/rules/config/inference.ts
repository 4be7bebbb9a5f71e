/** Kernels for inference, and sums that do not depend on the batch. */
import { rulesOf, type Step } from "../../step.ts";

const { ban, demand } = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__");
const hybrid = rulesOf("megatron/training/argument_utils.py: hybrid_config_from_args");

export const inferenceConfig: readonly Step[] = [
  ban("inference-kernels", {
    about: ["transformer_impl", "normalization", "add_bias_linear", "add_qkv_bias"],
    when: (a) =>
      a.transformer_impl === "inference_optimized" &&
      (a.normalization !== "RMSNorm" || a.layernorm_zero_centered_gamma || a.add_bias_linear || a.add_qkv_bias),
    says: "--transformer-impl inference_optimized needs --normalization RMSNorm without --apply-layernorm-1p, and no biases",
    why: "Its fused kernels are written only for that case. The engine's own message is empty.",
    fix: "Add --normalization RMSNorm, leave --apply-layernorm-1p and the biases out (--disable-bias-linear), or write --transformer-impl transformer_engine.",
    fires: "--transformer-impl inference_optimized",
    silent: "--transformer-impl inference_optimized --normalization RMSNorm",
  }),
  demand("inference-fused-transfers", {
    about: ["inference_fuse_tp_communication", "transformer_impl", "num_experts"],
    check: (a) => {
      if (!a.inference_fuse_tp_communication) return null;
      if (a.transformer_impl !== "inference_optimized")
        return "--inference-fuse-tp-communication needs --transformer-impl inference_optimized";
      return a.num_experts === null ? null : "--inference-fuse-tp-communication cannot be combined with experts";
    },
    why: "Only the dense inference kernels have fused sums over tensor-parallel ranks.",
    fix: "Write --transformer-impl inference_optimized for a model without experts, or leave --inference-fuse-tp-communication out.",
    fires: "--inference-fuse-tp-communication",
    silent: "--inference-fuse-tp-communication --transformer-impl inference_optimized --normalization RMSNorm",
  }),
  hybrid.ban("inference-fused-hybrid", {
    about: ["inference_fuse_tp_communication", "hybrid_layer_pattern"],
    when: (a, { entry }) =>
      entry === "hybrid" && a.transformer_impl === "inference_optimized" && a.inference_fuse_tp_communication,
    says: "--inference-fuse-tp-communication cannot be combined with hybrid models",
    why: "State-space layers have no kernel that sums over tensor-parallel ranks itself.",
    fix: "Leave --inference-fuse-tp-communication out.",
    base: "hybrid",
    fires: "--inference-fuse-tp-communication --transformer-impl inference_optimized --normalization RMSNorm",
    silent: "--transformer-impl inference_optimized --normalization RMSNorm",
  }),
  ban("inference-nvls", {
    about: ["inference_disable_triton_nvls_kernels", "transformer_impl"],
    when: (a) => a.inference_disable_triton_nvls_kernels && a.transformer_impl !== "inference_optimized",
    says: "--inference-disable-triton-nvls-kernels needs --transformer-impl inference_optimized",
    why: "Only the kernels for inference use the switch's NVLS multicasts. With another implementation there is nothing to turn off.",
    fix: "Leave --inference-disable-triton-nvls-kernels out, or write --transformer-impl inference_optimized.",
    fires: "--inference-disable-triton-nvls-kernels",
    silent: "--inference-disable-triton-nvls-kernels --transformer-impl inference_optimized --normalization RMSNorm",
  }),
  ban("symmetric-reduce", {
    about: ["symmetric_ar_type"],
    when: (a, { te }) => a.symmetric_ar_type !== null && !te("2.3.0"),
    says: "--symmetric-ar-type needs Transformer Engine 2.3 or later",
    why: "Sums over symmetric memory came with Transformer Engine 2.3; an older one has no such call.",
    fix: "Use an image with Transformer Engine 2.3 or later, or leave --symmetric-ar-type out.",
    fires: "--symmetric-ar-type two_shot TE=2.1.0",
    silent: "--symmetric-ar-type two_shot",
  }),
  ban("batch-invariant", {
    about: ["batch_invariant_mode", "attention_backend"],
    when: (a) => a.batch_invariant_mode && a.attention_backend !== "flash",
    says: "--batch-invariant-mode needs --attention-backend flash",
    why: "The result for a sample may not depend on what else is in the batch, and only FlashAttention has kernels that add in a fixed order.",
    fix: "Add --attention-backend flash, or leave --batch-invariant-mode out.",
    fires: "--batch-invariant-mode",
    silent: "--batch-invariant-mode --attention-backend flash --flash-attention-version 3 --attention-dropout 0",
  }),
  demand("batch-invariant-kernels", {
    about: ["batch_invariant_mode", "flash_attention_version", "attention_dropout"],
    check: (a) => {
      if (!a.batch_invariant_mode || a.attention_backend !== "flash") return null;
      const name = "--batch-invariant-mode";
      if (a.params_dtype !== "bf16") return `${name} needs --bf16`;
      if (a.flash_attention_version !== 3 && a.flash_attention_version !== 4)
        return `${name} needs --flash-attention-version 3 or 4`;
      if (a.context_parallel_size !== 1) return `${name} cannot be combined with context parallelism`;
      if (a.attention_dropout !== 0) return `${name} needs --attention-dropout 0`;
      if (!a.num_experts) return null;
      if (a.transformer_impl !== "inference_optimized" && a.moe_token_dispatcher_type !== "alltoall")
        return `${name} with experts needs --moe-token-dispatcher-type alltoall`;
      if (a.fp8 !== null || a.fp4 !== null) return `${name} with experts cannot be combined with FP8 or FP4`;
      if (a.moe_permute_fusion || a.moe_permute_fusion_into_hybridep)
        return `${name} with experts cannot be combined with fused permutation`;
      return a.moe_pad_expert_input_to_capacity || a.moe_pad_experts_for_cuda_graph_inference
        ? `${name} with experts cannot be combined with padding to a capacity`
        : null;
    },
    why: "The result for a sample may not depend on what else is in the batch: every kernel must add in a fixed order.",
    fix: "Give --bf16, --flash-attention-version 3, --attention-dropout 0 and no context parallelism; experts need the alltoall dispatcher without FP8, FP4, fused permutation and padding. Or leave --batch-invariant-mode out.",
    fires: "--batch-invariant-mode --attention-backend flash",
    silent: "--batch-invariant-mode --attention-backend flash --flash-attention-version 3 --attention-dropout 0",
  }),
];
