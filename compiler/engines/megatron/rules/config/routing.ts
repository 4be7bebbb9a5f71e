/** Mixtures of experts: how tokens are routed, and what runs beside it. */
import { rulesOf, settle, type Step } from "../../step.ts";
import { many } from "./experts.ts";

const { ban, demand } = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__");

const capped = ["aux_loss", "seq_aux_loss", "global_aux_loss", "none"];

export const routing: readonly Step[] = [
  ban("capacity-balancing", {
    about: ["moe_router_load_balancing_type", "moe_expert_capacity_factor"],
    when: (a) =>
      a.moe_expert_capacity_factor !== null &&
      !many(a.moe_router_load_balancing_type).every((each) => capped.includes(String(each))),
    says: `--moe-expert-capacity-factor works with load balancing ${capped.join(", ")}`,
    why: "Tokens beyond an expert's capacity are dropped, which is implemented only for these kinds of routing. Sinkhorn and quantile balancing spread tokens evenly themselves.",
    fix: "Write --moe-router-load-balancing-type aux_loss (or seq_aux_loss, global_aux_loss, none), or leave --moe-expert-capacity-factor out.",
    base: "moe",
    fires: "--moe-expert-capacity-factor 1.0 --moe-router-load-balancing-type sinkhorn",
    silent: "--moe-expert-capacity-factor 1.0 --moe-router-load-balancing-type aux_loss",
  }),
  demand("experts-bias", {
    about: ["add_bias_linear", "expert_tensor_parallel_size"],
    check: (a) =>
      a.num_experts !== null && a.add_bias_linear && a.expert_tensor_parallel_size !== 1
        ? `experts with biases need --expert-tensor-parallel-size 1, not ${a.expert_tensor_parallel_size}`
        : null,
    why: "Every rank that holds a part of the expert would add the bias.",
    fix: "Add --disable-bias-linear, or keep experts whole: --expert-tensor-parallel-size 1.",
    base: "moeBiased",
    fires: "--tensor-model-parallel-size 2 --sequence-parallel",
    silent: "--tensor-model-parallel-size 2 --sequence-parallel --disable-bias-linear",
  }),
  ban("router-bias", {
    about: ["moe_router_score_function", "moe_router_enable_expert_bias"],
    when: (a) =>
      a.moe_router_enable_expert_bias && !["sigmoid", "sqrtsoftplus"].includes(a.moe_router_score_function),
    says: "--moe-router-enable-expert-bias needs --moe-router-score-function sigmoid or sqrtsoftplus",
    why: "A bias that balances the load is added to scores of single experts, which a softmax does not have.",
    fix: "Write --moe-router-score-function sigmoid, or leave --moe-router-enable-expert-bias out.",
    base: "moe",
    fires: "--moe-router-enable-expert-bias",
    silent: "--moe-router-enable-expert-bias --moe-router-score-function sigmoid",
  }),
  settle(["moe_router_padding_for_quantization"], (a) => {
    if (a.moe_router_padding_for_fp8) a.moe_router_padding_for_quantization = true;
  }),
  ban("router-padding", {
    about: ["moe_router_padding_for_quantization", "fp8", "moe_token_dispatcher_type"],
    when: (a) =>
      a.moe_router_padding_for_quantization &&
      ((a.fp8 === null && a.fp4 === null) || a.moe_token_dispatcher_type === "allgather"),
    says: "--moe-router-padding-for-quantization needs --fp8-format or --fp4-format, and the alltoall or flex dispatcher",
    why: "Quantized products need a multiple of 16 or 32 tokens per expert, and tokens are padded to it. In 16 bits no padding is needed, and the allgather dispatcher does not pad.",
    fix: "Add --fp8-format or --fp4-format and use the alltoall or flex dispatcher, or leave --moe-router-padding-for-quantization out.",
    base: "moe",
    fires: "--moe-router-padding-for-quantization",
    silent: "--moe-router-padding-for-quantization --fp8-format hybrid",
  }),
  ban("router-top-one", {
    about: ["moe_router_pre_softmax", "moe_router_topk"],
    when: (a) =>
      a.moe_router_topk === 1 &&
      a.moe_router_score_function === "softmax" &&
      !a.moe_router_pre_softmax &&
      many(a.moe_router_load_balancing_type).every((each) => each !== "sinkhorn"),
    says: "--moe-router-topk 1 needs --moe-router-pre-softmax",
    why: "A softmax over the one chosen expert is always 1: the router would get no gradient.",
    fix: "Add --moe-router-pre-softmax, or choose at least two experts with --moe-router-topk 2.",
    base: "moe",
    fires: "--moe-router-topk 1",
    silent: "--moe-router-topk 1 --moe-router-pre-softmax",
  }),
  demand("router-groups", {
    about: ["moe_router_num_groups", "moe_router_group_topk", "num_experts"],
    check: (a) => {
      const [chosen, groups] = [a.moe_router_group_topk, a.moe_router_num_groups];
      if (!chosen) return null;
      if (!groups) return "--moe-router-group-topk needs --moe-router-num-groups";
      if (a.num_experts === null) return "--moe-router-num-groups needs --num-experts";
      if (a.num_experts % groups !== 0)
        return `${a.num_experts} experts cannot be divided evenly into ${groups} groups`;
      return chosen <= groups ? null : `${chosen} groups cannot be chosen from ${groups}`;
    },
    why: "Experts form equal groups; a token first chooses groups, then experts within them.",
    fix: "Give --moe-router-num-groups, a divisor of --num-experts, and --moe-router-group-topk at most that number.",
    base: "moe",
    fires: "--moe-router-group-topk 2",
    silent: "--moe-router-group-topk 2 --moe-router-num-groups 4",
  }),
  ban("permute-fusion", {
    about: ["moe_permute_fusion"],
    when: (a, { te }) => a.moe_permute_fusion && !te("2.1.0"),
    says: "--moe-permute-fusion needs Transformer Engine 2.1 or later",
    why: "The fused permutation kernels came with Transformer Engine 2.1; an older one stops at the first layer of experts.",
    fix: "Use an image with Transformer Engine 2.1 or later, or leave --moe-permute-fusion out.",
    base: "moe",
    fires: "--moe-permute-fusion TE=1.9.0",
    silent: "--moe-permute-fusion",
  }),
  demand("expert-overlap", {
    about: ["overlap_moe_expert_parallel_comm"],
    check: (a) => {
      if (!a.overlap_moe_expert_parallel_comm) return null;
      const name = "--overlap-moe-expert-parallel-comm";
      if (a.pipeline_model_parallel_size > 1 && a.virtual_pipeline_model_parallel_size === null)
        return `${name} in a pipeline needs virtual stages`;
      if (a.expert_model_parallel_size <= 1) return `${name} needs expert parallelism`;
      if (a.moe_token_dispatcher_type === "allgather") return `${name} needs the alltoall or flex dispatcher`;
      if (a.recompute_granularity === "full" || a.recompute_method !== null || a.recompute_num_layers !== null)
        return `${name} cannot be combined with full recomputation`;
      if (a.recompute_modules?.includes("moe") === true)
        return `${name} cannot be combined with --recompute-modules moe`;
      if (!a.bf16 && !a.fp16) return `${name} needs --bf16 or --fp16`;
      if (a.moe_shared_expert_overlap) return `${name} cannot be combined with --moe-shared-expert-overlap`;
      if ((a.mtp_num_layers ?? 0) > 1) return `${name} works with at most one prediction layer`;
      if (
        a.moe_token_dispatcher_type === "flex" &&
        a.moe_flex_dispatcher_backend === "ncclep" &&
        a.fine_grained_activation_offloading &&
        a.offload_modules.includes("expert_fc1")
      )
        return `${name} with ncclep cannot be combined with --offload-modules expert_fc1`;
      return a.cuda_graph_impl === "transformer_engine" &&
        (a.cuda_graph_modules.includes("moe") || a.cuda_graph_modules.includes("mlp"))
        ? `${name} cannot be combined with captured moe or mlp modules`
        : null;
    },
    why: "The forward pass of one micro-batch and the backward pass of another are interleaved layer by layer, which excludes full recomputation and other overlaps.",
    fix: "Leave --overlap-moe-expert-parallel-comm out, or meet its conditions: expert parallelism, virtual stages in a pipeline, the alltoall or flex dispatcher, 16-bit weights, and no full recomputation, shared-expert overlap or captured moe modules.",
    base: "moe",
    fires: "--overlap-moe-expert-parallel-comm --expert-model-parallel-size 1",
    silent: "--overlap-moe-expert-parallel-comm",
  }),
  demand("expert-overlap-needed", {
    about: ["delay_wgrad_compute", "ep_overlap_early_attn_memory_release", "overlap_moe_expert_parallel_comm"],
    check: (a, { te }) => {
      if (a.ep_overlap_early_attn_memory_release && !a.overlap_moe_expert_parallel_comm)
        return "--ep-overlap-early-attn-memory-release needs --overlap-moe-expert-parallel-comm";
      if (!a.delay_wgrad_compute) return null;
      if (!a.overlap_moe_expert_parallel_comm)
        return "--delay-wgrad-compute needs --overlap-moe-expert-parallel-comm";
      return a.cuda_graph_impl === "transformer_engine" && !te("2.10.0")
        ? "--delay-wgrad-compute with CUDA graphs needs Transformer Engine 2.10 or later"
        : null;
    },
    why: "The delayed or early work fills the time in which tokens are exchanged, which only that overlap provides.",
    fix: "Add --overlap-moe-expert-parallel-comm (and with CUDA graphs Transformer Engine 2.10 or later), or leave --delay-wgrad-compute and --ep-overlap-early-attn-memory-release out.",
    base: "moe",
    fires: "--delay-wgrad-compute",
    silent: "--delay-wgrad-compute --overlap-moe-expert-parallel-comm",
  }),
  demand("dispatch-overlap", {
    about: ["overlap_dispatch_backward_with_experts_wgrad"],
    check: (a, { te }) => {
      if (!a.overlap_dispatch_backward_with_experts_wgrad) return null;
      const name = "--overlap-dispatch-backward-with-experts-wgrad";
      if (a.overlap_moe_expert_parallel_comm)
        return `${name} cannot be combined with --overlap-moe-expert-parallel-comm`;
      if (a.delay_wgrad_compute) return `${name} cannot be combined with --delay-wgrad-compute`;
      return te("2.3.0") ? null : `${name} needs Transformer Engine 2.3 or later`;
    },
    why: "Both move the gradients of the experts' weights to another time: one behind the dispatch, the other behind the work of another micro-batch. They cannot do both.",
    fix: "Keep one of --overlap-dispatch-backward-with-experts-wgrad, --overlap-moe-expert-parallel-comm and --delay-wgrad-compute; the first needs Transformer Engine 2.3 or later.",
    base: "moe",
    fires: "--overlap-dispatch-backward-with-experts-wgrad --overlap-moe-expert-parallel-comm",
    silent: "--overlap-dispatch-backward-with-experts-wgrad",
  }),
];
