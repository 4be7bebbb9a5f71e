/** FP8 and FP4 in parts of the model, and activations. */
import type { Arguments } from "../../launch.ts";
import { rulesOf, type Step } from "../../step.ts";

const { ban, demand } = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__");

const activation = (a: Arguments): "silu" | "squared_relu" | "quick_gelu" | "gelu" =>
  a.squared_relu ? "squared_relu" : a.quick_geglu ? "quick_gelu" : a.swiglu ? "silu" : "gelu";
const isGated = (a: Arguments): boolean => a.swiglu || a.quick_geglu;
const fusesBias = (a: Arguments): boolean => (a.swiglu ? a.bias_swiglu_fusion : a.bias_gelu_fusion);

export const lowPrecisionConfig: readonly Step[] = [
  demand("fp8-ends-bf16", {
    about: ["first_last_layers_bf16", "num_layers_at_start_in_bf16", "num_layers_at_end_in_bf16"],
    check: (a) => {
      if (a.fp8 === null || !a.first_last_layers_bf16) return null;
      if (a.fp8_recipe === "delayed") return "--first-last-layers-bf16 cannot be combined with --fp8-recipe delayed";
      const most = Math.floor((a.num_layers ?? 0) / a.pipeline_model_parallel_size);
      const ends = [a.num_layers_at_start_in_bf16, a.num_layers_at_end_in_bf16];
      return ends.every((each) => each >= 0 && each <= most)
        ? null
        : `${ends.join(" and ")} layers in bf16 at the ends are not between 0 and the ${most} of a pipeline stage`;
    },
    why: "Delayed scales are kept over all layers; other recipes can leave layers of the first and the last stage out.",
    fix: "Write another --fp8-recipe (tensorwise, blockwise, mxfp8), with at most the layers of one stage in bf16 at each end; or leave --first-last-layers-bf16 out.",
    fires: "--fp8-format hybrid --first-last-layers-bf16",
    silent: "--fp8-format hybrid --first-last-layers-bf16 --fp8-recipe tensorwise",
  }),
  ban("fp8-custom", {
    about: ["fp8_quantizer_factory", "fp8_recipe"],
    when: (a) => a.fp8 !== null && a.fp8_recipe === "custom" && !a.fp8_quantizer_factory,
    says: "--fp8-recipe custom needs --fp8-quantizer-factory",
    why: "A custom recipe is Python code: the factory is the import path of the function that makes the quantizers.",
    fix: "Add --fp8-quantizer-factory package.function, or use another --fp8-recipe.",
    fires: "--fp8-format hybrid --fp8-recipe custom",
    silent: "--fp8-format hybrid --fp8-recipe custom --fp8-quantizer-factory pkg.make",
  }),
  ban("fp8-gather-format", {
    about: ["fp8_param_gather", "fp8"],
    when: (a) => a.fp8_param_gather && a.fp8 === null,
    says: "--fp8-param-gather needs --fp8-format",
    why: "Weights can be gathered in FP8 only if they are kept in FP8, which needs --fp8-format.",
    fix: "Add --fp8-format hybrid (or e4m3), or leave --fp8-param-gather out.",
    fires: "--fp8-param-gather --use-distributed-optimizer",
    silent: "--fp8-param-gather --use-distributed-optimizer --fp8-format hybrid",
  }),
  ban("fp8-output", {
    about: ["fp8_output_proj", "fp8", "fp8_recipe"],
    when: (a) => a.fp8_output_proj && (a.fp8 === null || a.fp8_recipe !== "mxfp8"),
    says: "--fp8-output-proj needs --fp8-format with --fp8-recipe mxfp8",
    why: "Only scales for blocks of 32 values are fine enough for logits; other recipes would lose their order.",
    fix: "Add --fp8-format e4m3 --fp8-recipe mxfp8, or leave --fp8-output-proj out.",
    fires: "--fp8-output-proj",
    silent: "--fp8-output-proj --fp8-format e4m3 --fp8-recipe mxfp8",
  }),
  ban("fp4-custom", {
    about: ["fp4_quantizer_factory", "fp4_recipe"],
    when: (a) => a.fp4 !== null && a.fp4_recipe === "custom" && !a.fp4_quantizer_factory,
    says: "--fp4-recipe custom needs --fp4-quantizer-factory",
    why: "A custom recipe is Python code: the factory is the import path of the function that makes the quantizers.",
    fix: "Add --fp4-quantizer-factory package.function, or use another --fp4-recipe.",
    fires: "--fp4-format e2m1 --fp4-recipe custom",
    silent: "--fp4-format e2m1 --fp4-recipe custom --fp4-quantizer-factory pkg.make",
  }),
  demand("fp8-experts", {
    about: ["fp8", "num_experts", "moe_grouped_gemm"],
    check: (a, { te }) => {
      if (!a.num_experts || a.fp8 === null) return null;
      if (!te("1.7.0")) return "FP8 experts need Transformer Engine 1.7 or later";
      return a.moe_grouped_gemm && !te("1.11.0") ? "grouped FP8 experts need Transformer Engine 1.11 or later" : null;
    },
    why: "Earlier kernels fail on an expert that gets no token, or have no grouped FP8 product.",
    fix: "Use an image with Transformer Engine 1.11 or later (1.7 without --moe-grouped-gemm), or train the experts in bf16.",
    base: "moe",
    fires: "--fp8-format hybrid --moe-grouped-gemm TE=1.9.0",
    silent: "--fp8-format hybrid --moe-grouped-gemm",
  }),
];

export const activationConfig: readonly Step[] = [
  demand("bias-fusion", {
    about: ["bias_gelu_fusion", "squared_relu", "glu_linear_offset", "use_te_activation_func"],
    check: (a) => {
      if (!fusesBias(a)) return null;
      if (activation(a) === "squared_relu")
        return "the fused bias kernels do not support squared ReLU: add --no-bias-gelu-fusion";
      if (a.glu_linear_offset !== 0 && activation(a) !== "quick_gelu")
        return "--glu-linear-offset with fused biases needs --quick-geglu";
      return a.use_te_activation_func
        ? "--use-te-activation-func and the fused bias kernels both compute the activation: add --no-bias-gelu-fusion or --no-bias-swiglu-fusion"
        : null;
    },
    why: "The fused kernels add the bias and apply GELU, SwiGLU or quick GeGLU. They are on unless turned off.",
    fix: "Add --no-bias-gelu-fusion (with --swiglu --no-bias-swiglu-fusion), or use an activation that the fused kernels support.",
    base: "biased",
    fires: "--squared-relu",
    silent: "--squared-relu --no-bias-gelu-fusion",
  }),
  ban("residual-norm-fusion", {
    about: ["fused_residual_rmsnorm", "normalization"],
    when: (a) => a.fused_residual_rmsnorm && a.normalization !== "RMSNorm",
    says: "--fused-residual-rmsnorm needs --normalization RMSNorm",
    why: "The fused kernel adds the residual and computes an RMS norm. Other norms have no fused kernel, and the model's configuration refuses the switch.",
    fix: "Add --normalization RMSNorm, or leave --fused-residual-rmsnorm out.",
    fires: "--fused-residual-rmsnorm",
    silent: "--fused-residual-rmsnorm --normalization RMSNorm",
  }),
  ban("te-activation", {
    about: ["use_te_activation_func", "squared_relu", "quick_geglu"],
    when: (a) => a.use_te_activation_func && ["squared_relu", "quick_gelu"].includes(activation(a)),
    says: "--use-te-activation-func knows GELU, SiLU and ReLU, gated or not",
    why: "Transformer Engine has GELU, SiLU and ReLU, gated or not, and neither squared ReLU nor quick GeGLU.",
    fix: "Leave --use-te-activation-func out, or use GELU or --swiglu instead of squared ReLU or quick GeGLU.",
    fires: "--use-te-activation-func --squared-relu",
    silent: "--use-te-activation-func --swiglu --no-bias-swiglu-fusion",
  }),
  demand("activation-clamp", {
    about: ["activation_func_clamp_value", "num_experts", "glu_linear_offset", "use_te_activation_func"],
    check: (a) => {
      const clamp = a.activation_func_clamp_value;
      if (clamp === null || activation(a) !== "silu" || !isGated(a)) return null;
      if (!Number.isFinite(clamp) || clamp <= 0)
        return `--activation-func-clamp-value ${clamp} is not a positive number`;
      if (a.num_experts === null) return "--activation-func-clamp-value with --swiglu needs --num-experts";
      if (a.glu_linear_offset !== 0)
        return "--activation-func-clamp-value with --swiglu cannot be combined with --glu-linear-offset";
      return a.use_te_activation_func
        ? "--activation-func-clamp-value with --swiglu cannot be combined with --use-te-activation-func"
        : null;
    },
    why: "The clamped form of SwiGLU exists only for experts; in a dense layer, or with an offset, the values would not be clamped.",
    fix: "Give --activation-func-clamp-value a positive number, with --num-experts if --swiglu is the activation and without --glu-linear-offset and --use-te-activation-func; or leave it out.",
    fires: "--swiglu --activation-func-clamp-value 7.0",
    silent: "--quick-geglu --activation-func-clamp-value 7.0",
  }),
  ban("mup-width", {
    about: ["mup_base_hidden_size"],
    when: (a) => a.use_mup && a.mup_base_hidden_size !== null && a.mup_base_hidden_size <= 0,
    says: "--mup-base-hidden-size is not positive",
    why: "Learning rates and initial weights are scaled by the ratio of the width to that of the base model.",
    fix: "Set --mup-base-hidden-size to the positive width of the model that the rates were tuned on.",
    fires: "--use-mup --mup-base-hidden-size 0",
    silent: "--use-mup --mup-base-hidden-size 256",
  }),
];
