/** What arguments of experts are accepted and break in their layers, or run and are not what was meant. */
import type { Arguments } from "../launch.ts";
import { givenToExperts } from "./unread.ts";
import { rulesOf, type Step } from "../step.ts";

const specs = rulesOf("megatron/core/models/gpt/gpt_layer_specs.py: get_mlp_module_spec");
const router = rulesOf("megatron/core/transformer/moe/router.py: sinkhorn_load_balancing, aux_loss_load_balancing");
const shared = rulesOf(
  "megatron/core/transformer/moe/shared_experts.py: SharedExpertMLP.__init__; moe_layer.py: preprocess",
);
const collectives = rulesOf("megatron/core/transformer/moe/token_dispatcher.py: _NCCLEPManager.__init__");
const dispatcher = rulesOf("megatron/core/transformer/moe/token_dispatcher.py: MoEFlexTokenDispatcher.__init__");

/** One entry of these lists becomes a plain value when it is validated. */
const balancing = (a: Arguments): readonly string[] => [a.moe_router_load_balancing_type].flat();
const coefficients = (a: Arguments): readonly number[] => [a.moe_aux_loss_coeff].flat();

const optionOf = (name: string): string => `--${name.replaceAll("_", "-")}`;

/** What the engine looks at where it has no experts either, and is off unless somebody asks for it. */
const ofExperts = [
  ...([
    "moe_grouped_gemm",
    "moe_permute_fusion",
    "moe_ffn_hidden_size",
    "moe_shared_expert_intermediate_size",
  ] as const),
  ...(["moe_expert_capacity_factor", "moe_router_pre_softmax", "moe_router_dtype", "moe_z_loss_coeff"] as const),
];

export const expertLayers: readonly Step[] = [
  specs.demand("experts-unused", {
    about: [...ofExperts, "moe_router_topk", "moe_layer_freq", "num_experts"],
    check: (a, host) => {
      if (a.num_experts !== null || a.hybrid_layer_pattern !== null) return null;
      const flags = [
        ...new Set([
          ...ofExperts.filter((name) => a[name] !== null && a[name] !== false).map(optionOf),
          ...(a.moe_router_topk === 2 ? [] : [optionOf("moe_router_topk")]),
          ...(a.moe_layer_freq === 1 ? [] : [optionOf("moe_layer_freq")]),
          ...givenToExperts(a, host),
        ]),
      ];
      return flags.length === 0
        ? null
        : `${flags.join(", ")} ${flags.length === 1 ? "has" : "have"} no effect without --num-experts`;
    },
    why: "Without --num-experts no layer has experts, whatever the other options are: the model is silently a dense one.",
    severity: "warning",
    fix: "Add --num-experts N, or leave the options for experts out.",
    fires: "--moe-grouped-gemm --moe-router-topk 4",
    silent: "",
  }),
  router.demand("sinkhorn-coefficient", {
    about: ["moe_aux_loss_coeff", "moe_router_load_balancing_type"],
    check: (a) => {
      const sinkhorn = a.num_experts !== null && balancing(a).includes("sinkhorn");
      return sinkhorn && coefficients(a).some((coefficient) => coefficient !== 0)
        ? "sinkhorn routing needs --moe-aux-loss-coeff 0"
        : null;
    },
    why: "Sinkhorn balances the experts itself, and the router refuses an additional loss in its first forward pass.",
    fix: "Set --moe-aux-loss-coeff 0, or write --moe-router-load-balancing-type aux_loss.",
    severity: "warning",
    base: "moe",
    fires: "--moe-router-load-balancing-type sinkhorn --moe-router-topk 1 --moe-aux-loss-coeff 0.01",
    silent: "--moe-router-load-balancing-type sinkhorn --moe-router-topk 1 --moe-aux-loss-coeff 0",
  }),
  router.ban("balancing-off", {
    about: ["moe_aux_loss_coeff", "moe_router_load_balancing_type"],
    when: (a) =>
      a.num_experts !== null &&
      balancing(a).some((type) => type.includes("aux_loss")) &&
      coefficients(a).every((coefficient) => coefficient === 0) &&
      !a.moe_router_enable_expert_bias,
    says: "nothing balances the experts: --moe-router-load-balancing-type selects a loss whose coefficient is 0",
    why: "A kind of load balancing is selected, but its loss has no weight, so nothing keeps the load even. A few experts soon get every token.",
    fix: "Give --moe-aux-loss-coeff 0.01, or add --moe-router-enable-expert-bias with --moe-router-score-function sigmoid; write --moe-router-load-balancing-type none if nothing should balance.",
    severity: "warning",
    base: "moe",
    fires: "--moe-aux-loss-coeff 0",
    silent: "",
  }),
  router.ban("router-precision", {
    about: ["moe_router_dtype", "num_experts"],
    when: (a) => (a.num_experts ?? 0) >= 32 && a.moe_router_dtype === null,
    says: "routing among 32 experts or more is unstable in 16 bits: write --moe-router-dtype fp32",
    why: "The engine warns about this: near ties between many experts are decided by rounding.",
    fix: "Write --moe-router-dtype fp32.",
    severity: "warning",
    base: "moe",
    fires: "--num-experts 64",
    silent: "--num-experts 64 --moe-router-dtype fp32",
  }),
  shared.ban("shared-experts-bias", {
    about: ["moe_shared_expert_intermediate_size", "add_bias_linear"],
    when: (a) => a.num_experts !== null && a.moe_shared_expert_intermediate_size !== null && a.add_bias_linear,
    says: "shared experts have no bias: write --disable-bias-linear",
    why: "The layer of shared experts has no biases, and with biases building it stops, when the GPUs are already allocated.",
    fix: "Add --disable-bias-linear.",
    base: "moeBiased",
    fires: "--moe-shared-expert-intermediate-size 1024",
    silent: "--moe-shared-expert-intermediate-size 1024 --disable-bias-linear",
  }),
  shared.ban("shared-experts-latent", {
    about: ["moe_shared_expert_overlap", "moe_latent_size"],
    when: (a) => a.num_experts !== null && a.moe_shared_expert_overlap && a.moe_latent_size !== null,
    says: "--moe-shared-expert-overlap cannot be combined with --moe-latent-size",
    why: "The first training step refuses this: shared experts work at the width of the model, routed ones at the latent width.",
    fix: "Leave --moe-shared-expert-overlap out, or --moe-latent-size.",
    base: "moe",
    fires: "--moe-shared-expert-intermediate-size 1024 --moe-shared-expert-overlap --moe-latent-size 256",
    silent: "--moe-shared-expert-intermediate-size 1024 --moe-latent-size 256",
  }),
  dispatcher.ban("dispatcher-alone", {
    about: ["moe_flex_dispatcher_backend", "moe_token_dispatcher_type"],
    when: (a) =>
      a.num_experts !== null &&
      a.moe_token_dispatcher_type === "flex" &&
      ["deepep", "ncclep"].includes(a.moe_flex_dispatcher_backend) &&
      a.expert_model_parallel_size * (a.expert_tensor_parallel_size ?? a.tensor_model_parallel_size) === 1,
    says: "the flex dispatcher needs more than one rank, but expert-tensor x expert-parallel ranks is 1",
    why: "DeepEP and NCCL EP exchange tokens between ranks, and the layer refuses a single one when it is built.",
    fix: "Write --moe-token-dispatcher-type alltoall, or --expert-model-parallel-size 2 or more.",
    severity: "warning",
    base: "moe",
    fires: "--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend deepep --expert-model-parallel-size 1",
    silent: "--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend deepep --expert-model-parallel-size 2",
  }),
  collectives.demand("dispatcher-ncclep", {
    about: ["moe_flex_dispatcher_backend", "moe_expert_rank_capacity_factor", "moe_ncclep_zero_copy"],
    check: (a, { architecture, env }) => {
      if (a.num_experts === null || a.moe_token_dispatcher_type !== "flex") return null;
      if (a.moe_flex_dispatcher_backend !== "ncclep") return null;
      if (a.moe_pad_expert_input_to_capacity || a.moe_expert_capacity_factor !== null)
        return "--moe-flex-dispatcher-backend ncclep drops no tokens: leave --moe-expert-capacity-factor and --moe-pad-expert-input-to-capacity out";
      if (a.moe_expert_rank_capacity_factor === null)
        return a.moe_ncclep_zero_copy ? "--moe-ncclep-zero-copy needs --moe-expert-rank-capacity-factor" : null;
      if (!a.use_transformer_engine_op_fuser || !a.moe_grouped_gemm)
        return "--moe-expert-rank-capacity-factor with ncclep needs --use-transformer-engine-op-fuser and --moe-grouped-gemm";
      if (a.fp8 === null && a.fp4 === null) return null;
      if (architecture < 10)
        return "--moe-expert-rank-capacity-factor with ncclep and FP8 or FP4 needs a Blackwell GPU";
      return Number(env("NVTE_CUTEDSL_FUSED_GROUPED_MLP") ?? 0) > 0
        ? null
        : "--moe-expert-rank-capacity-factor with ncclep and FP8 or FP4 needs NVTE_CUTEDSL_FUSED_GROUPED_MLP=1";
    },
    why: "NCCL's expert parallelism receives into buffers of a fixed size if a capacity per rank is given; only the fused grouped product can read them without knowing how full they are. The layer refuses anything else when it is built.",
    fix: "Add what the message names, or leave --moe-expert-rank-capacity-factor and --moe-ncclep-zero-copy out.",
    base: "moe",
    fires: "--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend ncclep --moe-ncclep-zero-copy",
    silent: "--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend ncclep",
  }),
];
