/** What older releases demand and a newer one no longer does. */
import { rulesOf, type Step } from "../step.ts";

const optimizer = rulesOf("megatron/core/optimizer/optimizer_config.py: OptimizerConfig.__post_init__ (core 0.19)");
const model = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__ (core 0.19)");
const builders = rulesOf(
  "hybrid_builders.py: hybrid_builder (core 0.18); mamba_builders.py and pretrain_mamba.py before",
);
const groups = rulesOf("megatron/core/parallel_state.py: initialize_model_parallel (core 0.9)");

export const older: readonly Step[] = [
  optimizer.ban("optimizer-precision-shared", {
    about: ["use_precision_aware_optimizer", "use_distributed_optimizer"],
    when: (a) => a.use_precision_aware_optimizer && !a.use_distributed_optimizer,
    says: "--use-precision-aware-optimizer needs --use-distributed-optimizer before core 0.20",
    why: "Before core 0.20 only the distributed optimizer could keep its states in narrower formats.",
    fix: "Add --use-distributed-optimizer, leave --use-precision-aware-optimizer out, or use core 0.20.",
    fires: "--use-precision-aware-optimizer",
    silent: "--use-precision-aware-optimizer --use-distributed-optimizer",
    gone: "0.20",
  }),
  model.ban("inference-gates", {
    about: ["transformer_impl", "swiglu"],
    when: (a) => a.transformer_impl === "inference_optimized" && a.num_experts !== null && a.swiglu,
    says: "--transformer-impl inference_optimized has no gated experts before core 0.20",
    why: "Its kernels for experts did not support SwiGLU before core 0.20.",
    fix: "Write --transformer-impl transformer_engine, leave --swiglu out, or use core 0.20.",
    base: "moe",
    fires:
      "--transformer-impl inference_optimized --normalization RMSNorm --moe-router-dtype fp32 --swiglu --moe-grouped-gemm",
    silent:
      "--transformer-impl inference_optimized --normalization RMSNorm --moe-router-dtype fp32 --squared-relu --moe-grouped-gemm",
    gone: "0.20",
  }),
  groups.demand("expert-data-ranks", {
    about: ["expert_model_parallel_size"],
    check: (a) => {
      const [experts, data] = [a.expert_model_parallel_size, a.data_parallel_size];
      return a.num_experts === null || experts < 1 || data % experts === 0
        ? null
        : `${data} data-parallel ranks cannot be divided evenly among ${experts} expert-parallel ranks before core 0.10`;
    },
    why: "Before core 0.10 experts had no process grid of their own: expert-parallel ranks were taken from the data-parallel ones.",
    fix: "Choose an --expert-model-parallel-size that divides the data-parallel ranks, or use core 0.10.",
    base: "moe",
    fires: "--expert-model-parallel-size 4 --tensor-model-parallel-size 4",
    silent: "--expert-model-parallel-size 2 --tensor-model-parallel-size 4",
    gone: "0.10",
  }),
  builders.ban("hybrid-spec", {
    about: ["spec"],
    when: (a, { entry, given }) =>
      entry === "hybrid" &&
      a.spec === null &&
      a.transformer_impl !== "inference_optimized" &&
      // A checkpoint may bring it, and one of ModelOpt has a builder of its own.
      !(a.use_checkpoint_args || (a.load !== null && [...given.keys()].some((dest) => dest.startsWith("export_")))),
    says: "a hybrid model needs --spec before core 0.19: nothing else says what its layers are made of",
    why: "Before core 0.19 the program for Mamba and hybrid models builds its layers from the specification that --spec names. It has none of its own and stops when the model is built.",
    fix: "Add --spec megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec (before 0.18: megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec), or take core 0.19.",
    base: "specless",
    fires: "",
    silent: "--spec megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec",
    gone: "0.19",
  }),
];
