/** Number formats. */
import { rulesOf, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");

export const lowPrecision: readonly Step[] = [
  ban("fp8-gather", {
    about: ["fp8_param_gather", "use_distributed_optimizer"],
    when: (a) => a.fp8_param_gather && !a.use_distributed_optimizer && !a.use_torch_fsdp2 && !a.use_megatron_fsdp,
    says: "--fp8-param-gather needs --use-distributed-optimizer or a form of FSDP",
    why: "Only sharded weights are gathered; a rank that holds them whole gathers nothing in FP8.",
    fix: "Add --use-distributed-optimizer, --use-torch-fsdp2 or --use-megatron-fsdp, or leave --fp8-param-gather out.",
    fires: "--fp8-format hybrid --fp8-param-gather",
    silent: "--fp8-format hybrid --fp8-param-gather --use-distributed-optimizer",
  }),
  ban("fp4-and-fp8", {
    about: ["fp4", "fp8"],
    when: (a) => a.fp4 !== null && a.fp8 !== null,
    says: "--fp4-format and --fp8-format choose two formats",
    why: "Matrix products run in one format, but the two options set two.",
    fix: "Leave --fp8-format out, or --fp4-format.",
    fires: "--fp4-format e2m1 --fp8-format hybrid",
    silent: "--fp8-format hybrid",
  }),
  ban("fp4-gather", {
    about: ["fp4_param_gather", "fp4"],
    when: (a) => a.fp4_param_gather && a.fp4 === null,
    says: "--fp4-param-gather needs --fp4-format",
    why: "Weights can be gathered in FP4 only if they are kept in FP4, which needs --fp4-format.",
    fix: "Add --fp4-format e2m1, or leave --fp4-param-gather out.",
    fires: "--fp4-param-gather",
    silent: "--fp4-param-gather --fp4-format e2m1 --use-distributed-optimizer",
  }),
  ban("fp4-transformer-engine", {
    about: ["fp4"],
    when: (a, { te }) => a.fp4 !== null && !te("2.7.0"),
    says: "--fp4-format needs Transformer Engine 2.7 or later",
    why: "The NVFP4 kernels came with Transformer Engine 2.7; with an older one the first layer would fail.",
    fix: "Use an image with Transformer Engine 2.7 or later, or train with --fp8-format or --bf16.",
    fires: "--fp4-format e2m1 TE=2.6.0",
    silent: "--fp4-format e2m1",
  }),
  ban("mxfp8-inference", {
    about: ["transformer_impl", "fp8_recipe"],
    when: (a) => a.fp8_recipe === "mxfp8" && a.transformer_impl === "inference_optimized",
    says: "--fp8-recipe mxfp8 with --transformer-impl inference_optimized needs FlashInfer 0.6.4 or later",
    why: "The kernels come from FlashInfer, which training images do not include: the first product would fail.",
    fix: "Install FlashInfer 0.6.4 or later, or use another --fp8-recipe or --transformer-impl.",
    fires: "--fp8-recipe mxfp8 --transformer-impl inference_optimized",
    silent: "--fp8-recipe mxfp8",
  }),
];

export const precision: readonly Step[] = [
  ban("fp16-and-bf16", {
    about: ["fp16", "bf16"],
    when: (a) => a.fp16 && a.bf16,
    says: "--fp16 and --bf16 choose two formats",
    why: "Weights are kept in one 16-bit format, but two are requested. The engine's own message is empty.",
    fix: "Keep one of --fp16 and --bf16: bf16 on GPUs from Ampere on.",
    fires: "--fp16",
    silent: "",
  }),
  settle(["params_dtype", "check_for_nan_in_loss_and_grad", "accumulate_allreduce_grads_in_fp32"], (a) => {
    a.params_dtype = a.bf16 ? "bf16" : a.fp16 ? "fp16" : "fp32";
    if (a.fp16 && !a.loss_scale) a.check_for_nan_in_loss_and_grad = false;
  }),
  ban("gradients-fp32", {
    about: ["main_grads_dtype", "accumulate_allreduce_grads_in_fp32"],
    when: (a) => a.bf16 && a.accumulate_allreduce_grads_in_fp32 && a.main_grads_dtype !== "fp32",
    says: "--accumulate-allreduce-grads-in-fp32 contradicts --main-grads-dtype bf16",
    why: "Gradients are accumulated in the format of the main gradients, but the two options set two formats.",
    fix: "Leave --accumulate-allreduce-grads-in-fp32 out, or write --main-grads-dtype fp32.",
    fires: "--accumulate-allreduce-grads-in-fp32 --main-grads-dtype bf16",
    silent: "--accumulate-allreduce-grads-in-fp32",
  }),
  settle(["accumulate_allreduce_grads_in_fp32"], (a) => {
    if (!a.bf16) return;
    if (a.grad_reduce_in_bf16) a.accumulate_allreduce_grads_in_fp32 = false;
    else if (a.main_grads_dtype === "fp32") a.accumulate_allreduce_grads_in_fp32 = true;
  }),
  settle(["ddp_reduce_scatter_with_fp32_accumulation", "gtp_remat_reduce_scatter_with_fp32_accumulation"], (a) => {
    if (!a.accumulate_allreduce_grads_in_fp32) return;
    a.ddp_reduce_scatter_with_fp32_accumulation = a.gtp_remat_reduce_scatter_with_fp32_accumulation = false;
  }),
];

export const precisionOfParts: readonly Step[] = [
  ban("fp16-cross-entropy", {
    about: ["fp16_lm_cross_entropy", "fp16"],
    when: (a) => a.fp16_lm_cross_entropy && !a.fp16,
    says: "--fp16-lm-cross-entropy needs --fp16",
    why: "With bf16 or fp32 weights logits are never in fp16, so this loss does not exist. The engine's own check stops the launch.",
    fix: "Leave --fp16-lm-cross-entropy out, or train with --fp16.",
    fires: "--fp16-lm-cross-entropy",
    silent: "",
  }),
  ban("residual-fp32", {
    about: ["fp32_residual_connection"],
    when: (a) => a.fp32_residual_connection && !a.fp16 && !a.bf16,
    says: "--fp32-residual-connection needs --bf16 or --fp16",
    why: "Without a 16-bit format the residual stream is in fp32 already, and the switch would have no effect.",
    fix: "Leave --fp32-residual-connection out, or add --bf16.",
    base: "fp32",
    fires: "--fp32-residual-connection",
    silent: "--fp32-residual-connection --bf16",
  }),
  demand("grouped-gemm-device", {
    about: ["moe_grouped_gemm"],
    check: (a, host) =>
      a.moe_grouped_gemm && host.architecture < 8
        ? `--moe-grouped-gemm needs an Ampere GPU or a newer one, not compute capability ${host.architecture}`
        : null,
    why: "The grouped kernels are built for compute capability 8.0 and later. On an older GPU the first layer of experts fails.",
    fix: "Leave --moe-grouped-gemm out, or run on GPUs from Ampere on.",
    base: "moe",
    fires: "--moe-grouped-gemm ARCHITECTURE=7",
    silent: "--moe-grouped-gemm",
  }),
];
