/** What older releases demand and a newer one no longer does. */
import { rulesOf, type Step } from "../step.ts";

const optimizer = rulesOf("megatron/core/optimizer/optimizer_config.py: OptimizerConfig.__post_init__ (core 0.19)");
const model = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__ (core 0.19)");
const groups = rulesOf("megatron/core/parallel_state.py: initialize_model_parallel (core 0.9)");

export const older: readonly Step[] = [
  optimizer.ban("optimizer-precision-shared", {
    about: ["use_precision_aware_optimizer", "use_distributed_optimizer"],
    when: (a) => a.use_precision_aware_optimizer && !a.use_distributed_optimizer,
    says: "--use-precision-aware-optimizer needs --use-distributed-optimizer before core 0.20",
    why: "Before core 0.20 only the distributed optimizer kept its states in narrower formats.",
    fix: "Add --use-distributed-optimizer, leave --use-precision-aware-optimizer out, or take core 0.20.",
    fires: "--use-precision-aware-optimizer",
    silent: "--use-precision-aware-optimizer --use-distributed-optimizer",
    gone: "0.20",
  }),
  model.ban("inference-gates", {
    about: ["transformer_impl", "swiglu"],
    when: (a) => a.transformer_impl === "inference_optimized" && a.num_experts !== null && a.swiglu,
    says: "--transformer-impl inference_optimized has no gated experts before core 0.20",
    why: "Its kernels for experts knew no SwiGLU before core 0.20.",
    fix: "Write --transformer-impl transformer_engine, leave --swiglu out, or take core 0.20.",
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
    fix: "Choose --expert-model-parallel-size so that it divides the data-parallel ranks, or take core 0.10.",
    base: "moe",
    fires: "--expert-model-parallel-size 4 --tensor-model-parallel-size 4",
    silent: "--expert-model-parallel-size 2 --tensor-model-parallel-size 4",
    gone: "0.10",
  }),
];
