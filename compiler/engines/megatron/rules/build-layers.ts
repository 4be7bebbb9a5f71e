/** What the layers of a model refuse when they are built or first called: warnings, as `build.ts` says. */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const mixer = rulesOf("megatron/core/ssm/mamba_mixer.py: MambaMixer.__init__");
const delta = rulesOf("megatron/core/ssm/gated_delta_net/common.py: _GDNBase.__init__");
const count = rulesOf("megatron/training/training.py: num_floating_point_operations");
const router = rulesOf("megatron/core/transformer/moe/router.py: TopKRouter.quantile_balancing");
const experts = rulesOf("megatron/core/transformer/moe/experts.py: TEGroupedMLP.__init__, forward");
const layer = rulesOf("megatron/core/transformer/moe/moe_layer.py: MoELayer.__init__");
const prediction = rulesOf("megatron/core/transformer/multi_token_prediction.py: MultiTokenPredictionLayer");
const attention = rulesOf("megatron/core/extensions/transformer_engine.py: TEDotProductAttention.__init__");
const specs = rulesOf("megatron/core/models/gpt/gpt_layer_specs.py: get_gpt_layer_with_transformer_engine_spec");

const isGated = (a: Arguments): boolean =>
  ["gdn", "gated_delta_net"].includes(a.experimental_attention_variant ?? "");
const isLinear = (a: Arguments): boolean => isGated(a) || a.experimental_attention_variant === "gdn2";
const usesEngine = (a: Arguments): boolean => a.transformer_impl === "transformer_engine";
/** FP8 matrix units multiply in multiples of 16, those of MXFP8 in blocks of 32. */
const unitOf = (a: Arguments): number => (a.fp8_recipe === "mxfp8" ? 32 : 16);

export const buildLayers: readonly Step[] = [
  mixer.demand("mamba-fp8", {
    about: ["mamba_num_heads", "mamba_state_dim", "mamba_num_groups", "fp8"],
    check: (a) => {
      if (a.fp8 === null || a.hybrid_layer_pattern?.includes("M") !== true) return null;
      const heads = a.mamba_num_heads ?? Math.floor((2 * (a.hidden_size ?? 0)) / a.mamba_head_dim);
      const width = 2 * heads * a.mamba_head_dim + 2 * a.mamba_num_groups * a.mamba_state_dim + heads;
      return width % 16 === 0
        ? null
        : `a Mamba layer projects to ${width} channels (${heads} heads), which is not a multiple of 16 as FP8 needs`;
    },
    why: "The input projection holds the gate, the input, B and C of every group, and a step size for each head side by side. FP8 needs its width to be a multiple of 16.",
    severity: "warning",
    fix: "Set --mamba-num-heads to a multiple of 16, or train without --fp8-format.",
    base: "hybrid",
    fires: "--fp8-format hybrid --mamba-num-heads 24",
    silent: "--fp8-format hybrid --mamba-num-heads 32",
  }),
  delta.demand("delta-net-fp8", {
    about: ["linear_num_value_heads", "linear_value_head_dim", "fp8"],
    check: (a) => {
      const [keys, values] = [a.linear_num_key_heads, a.linear_num_value_heads];
      if (a.fp8 === null || !isGated(a) || keys === null || values === null) return null;
      const width = 2 * (keys * a.linear_key_head_dim + values * a.linear_value_head_dim) + 2 * values;
      return width % unitOf(a) === 0
        ? null
        : `a gated delta net projects to ${width} channels, which is not a multiple of ${unitOf(a)} as FP8 needs`;
    },
    why: "Queries, keys, values, a gate and two numbers per value head come from one projection, whose width must be a multiple of 16 (32 for MXFP8).",
    severity: "warning",
    fix: "Set --linear-num-value-heads to a multiple of 8 (16 with --fp8-recipe mxfp8), or train without --fp8-format.",
    fires:
      "--experimental-attention-variant gated_delta_net --linear-attention-freq 4 --linear-num-key-heads 4 --linear-num-value-heads 4 --fp8-format hybrid",
    silent:
      "--experimental-attention-variant gated_delta_net --linear-attention-freq 4 --linear-num-key-heads 8 --linear-num-value-heads 8 --fp8-format hybrid",
  }),
  count.demand("linear-attention-pattern", {
    about: ["linear_attention_freq", "num_layers"],
    check: (a) => {
      const pattern = a.linear_attention_freq;
      if (!isLinear(a) || pattern === null || typeof pattern === "number") return null;
      return pattern.length === a.num_layers
        ? null
        : `--linear-attention-freq lists ${pattern.length} layers of ${a.num_layers}`;
    },
    why: "A list says for each layer whether its attention is linear. With a list of another length the run stops at its first log line, where operations are counted.",
    severity: "warning",
    fix: "Give --linear-attention-freq one entry per layer, or a number N: every Nth layer has full attention.",
    fires:
      "--experimental-attention-variant gated_delta_net --linear-attention-freq [1]*3+[0] --linear-num-key-heads 8 --linear-num-value-heads 8",
    silent:
      "--experimental-attention-variant gated_delta_net --linear-attention-freq ([1]*3+[0])*3 --linear-num-key-heads 8 --linear-num-value-heads 8",
  }),
  router.demand("quantile-balancing", {
    about: ["moe_router_load_balancing_type", "moe_router_fusion", "moe_router_num_groups"],
    check: (a) => {
      if (![a.moe_router_load_balancing_type].flat().includes("quantile_balancing")) return null;
      if (a.moe_router_fusion) return "quantile balancing cannot be combined with --moe-router-fusion";
      return a.moe_router_num_groups === null && a.moe_router_group_topk === null
        ? null
        : "quantile balancing cannot be combined with --moe-router-num-groups and --moe-router-group-topk";
    },
    why: "Quantile balancing chooses experts by its own bias, which neither the fused kernels nor group-limited routing support. The router stops in the first forward pass.",
    severity: "warning",
    fix: "Leave --moe-router-fusion, --moe-router-num-groups and --moe-router-group-topk out, or write --moe-router-load-balancing-type aux_loss.",
    base: "moe",
    fires: "--moe-router-load-balancing-type quantile_balancing --moe-router-fusion",
    silent: "--moe-router-load-balancing-type quantile_balancing",
  }),
  experts.ban("grouped-bias", {
    about: ["bias_dropout_fusion", "add_bias_linear", "moe_grouped_gemm"],
    when: (a) =>
      a.num_experts !== null && a.moe_grouped_gemm && usesEngine(a) && a.add_bias_linear && a.bias_dropout_fusion,
    says: "grouped experts with biases cannot be combined with the fused bias and dropout",
    why: "The grouped product adds the biases of its experts itself, and the fused kernel would add them again.",
    severity: "warning",
    fix: "Add --disable-bias-linear, or --no-bias-dropout-fusion.",
    base: "moeBiased",
    fires: "--moe-grouped-gemm",
    silent: "--moe-grouped-gemm --no-bias-dropout-fusion",
  }),
  experts.ban("probabilities-on-input", {
    about: ["moe_apply_probs_on_input", "moe_router_topk"],
    when: (a) => a.num_experts !== null && a.moe_apply_probs_on_input && a.moe_router_topk !== 1,
    says: "--moe-apply-probs-on-input needs --moe-router-topk 1",
    why: "An input is scaled by the weight of the one expert that it goes to. With two experts it would have to be scaled twice; the layer stops in the first forward pass.",
    severity: "warning",
    fix: "Set --moe-router-topk 1 with --moe-router-pre-softmax, or leave --moe-apply-probs-on-input out.",
    base: "moe",
    fires: "--moe-apply-probs-on-input",
    silent: "--moe-apply-probs-on-input --moe-router-topk 1 --moe-router-pre-softmax",
  }),
  layer.ban("latent-engine", {
    about: ["moe_latent_size"],
    when: (a, { te }) => a.num_experts !== null && a.moe_latent_size !== null && !te(),
    says: "--moe-latent-size needs Transformer Engine",
    why: "The two projections around the narrower space of the experts are layers of Transformer Engine; the engine has none of its own.",
    severity: "warning",
    fix: "Use an image with Transformer Engine, or leave --moe-latent-size out.",
    base: "moe",
    fires: "--moe-latent-size 256 TE=none",
    silent: "--moe-latent-size 256",
  }),
  prediction.ban("prediction-recompute", {
    about: ["recompute_num_layers", "mtp_num_layers"],
    when: (a) =>
      (a.mtp_num_layers ?? 0) > 0 &&
      a.recompute_granularity === "full" &&
      a.recompute_method === "uniform" &&
      a.recompute_num_layers !== 1,
    says: "multi-token prediction with uniform recomputation needs --recompute-num-layers 1",
    why: "A prediction depth is a single layer, so layers cannot be recomputed two at a time. The run stops in the first backward pass.",
    severity: "warning",
    fix: "Set --recompute-num-layers 1, or write --recompute-method block.",
    fires:
      "--mtp-num-layers 1 --position-embedding-type rope --recompute-granularity full --recompute-method uniform --recompute-num-layers 2",
    silent:
      "--mtp-num-layers 1 --position-embedding-type rope --recompute-granularity full --recompute-method uniform --recompute-num-layers 1",
  }),
  attention.demand("query-key-scaling", {
    about: ["apply_query_key_layer_scaling"],
    check: (a, { env }) =>
      usesEngine(a) && a.apply_query_key_layer_scaling && Number(env("NVTE_APPLY_QK_LAYER_SCALING") ?? "0") === 0
        ? "--apply-query-key-layer-scaling needs NVTE_APPLY_QK_LAYER_SCALING=1"
        : null,
    why: "Transformer Engine reads the scaling only from the environment, so the argument and the variable must agree. Otherwise building the first layer stops.",
    severity: "warning",
    fix: "Set NVTE_APPLY_QK_LAYER_SCALING=1 in the environment of every rank together with --apply-query-key-layer-scaling, or neither.",
    fires: "--apply-query-key-layer-scaling",
    silent: "--apply-query-key-layer-scaling NVTE_APPLY_QK_LAYER_SCALING=1",
  }),
  attention.demand("attention-version", {
    about: ["softmax_type", "window_size", "cp_comm_type", "context_parallel_size"],
    check: (a, { te }) => {
      if (!usesEngine(a)) return null;
      if (a.softmax_type !== "vanilla" && !te("2.8.0"))
        return `--softmax-type ${a.softmax_type} needs Transformer Engine 2.8 or later`;
      if (a.window_size !== null && !te("1.2.0")) return "--window-size needs Transformer Engine 1.2 or later";
      if (a.context_parallel_size === 1) return null;
      if (a.cp_comm_type.includes("a2a+p2p") && !te("1.12.0"))
        return "--cp-comm-type a2a+p2p needs Transformer Engine 1.12 or later";
      return te("1.0.0") ? null : "context parallelism needs Transformer Engine 1.0 or later";
    },
    why: "Transformer Engine gained these forms of attention one after the other. An older one stops when the first layer is built.",
    severity: "warning",
    fix: "Use an image with the version in the message, or leave the option out.",
    fires: "--softmax-type off-by-one TE=2.7.0",
    silent: "--softmax-type off-by-one TE=2.8.0",
  }),
  specs.ban("mla-l2-norm", {
    about: ["qk_l2_norm", "multi_latent_attention"],
    when: (a) => a.qk_l2_norm && a.multi_latent_attention,
    says: "--qk-l2-norm cannot be combined with --multi-latent-attention",
    why: "Latent attention rebuilds queries and keys from a latent and normalises that latent; single heads cannot be normalised.",
    severity: "warning",
    fix: "Leave --qk-l2-norm out; --qk-layernorm normalises the latents.",
    fires: "--qk-l2-norm --multi-latent-attention",
    silent: "--qk-layernorm --multi-latent-attention",
  }),
];
