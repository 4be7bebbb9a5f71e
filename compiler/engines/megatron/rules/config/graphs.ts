/** Which modules a CUDA graph may capture. */
import type { Arguments } from "../../launch.ts";
import { rulesOf, settle, type Step } from "../../step.ts";

const { ban, demand } = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__");

const perLayer = (a: Arguments): boolean =>
  a.cuda_graph_impl === "local" || a.cuda_graph_impl === "transformer_engine";
const has = (a: Arguments, module: string): boolean => a.cuda_graph_modules.includes(module);
const isWhole = (a: Arguments): boolean =>
  a.cuda_graph_impl === "full_iteration" || a.cuda_graph_modules.length === 0;
const captures = (a: Arguments, module: string): boolean => isWhole(a) || has(a, module);
const recomputes = (a: Arguments, module: string): boolean =>
  a.recompute_granularity === "selective" && (a.recompute_modules ?? ["core_attn"]).includes(module);

/** Expert activations that local graphs leave outside. */
const outside = new Set(["expert_fc1", "moe_act", "fused_group_mlp"]);

export const graphConfig: readonly Step[] = [
  ban("graphs-layer-offload", {
    about: ["cuda_graph_impl", "cpu_offloading_num_layers"],
    when: (a) => a.cpu_offloading && perLayer(a),
    says: "CUDA graphs of layers cannot be combined with --cpu-offloading-num-layers",
    why: "A graph fixes the addresses that it reads, but activations that come back from the host are elsewhere: it would read invalid memory.",
    fix: "Leave --cpu-offloading-num-layers out, or write --cuda-graph-impl none.",
    fires: "--cuda-graph-impl local --cpu-offloading-num-layers 2",
    silent: "--cuda-graph-impl local",
  }),
  settle(["cuda_graph_modules"], (a) => {
    if (a.cuda_graph_impl !== "local" || (!has(a, "moe_router") && !has(a, "moe_preprocess"))) return;
    a.cuda_graph_modules = [...new Set([...a.cuda_graph_modules, "moe_router", "moe_preprocess"])];
  }),
  demand("graphs-modules", {
    about: ["cuda_graph_modules", "num_experts"],
    check: (a) => {
      if (!perLayer(a)) return null;
      if (has(a, "moe") && has(a, "moe_router")) return "--cuda-graph-modules takes moe or moe_router, not both";
      if (has(a, "moe_preprocess") && !has(a, "moe_router"))
        return "--cuda-graph-modules moe_preprocess also needs moe_router";
      if ((a.num_experts ?? 0) <= 1)
        return has(a, "moe") || has(a, "moe_router")
          ? `--cuda-graph-modules ${has(a, "moe") ? "moe" : "moe_router"} needs --num-experts`
          : null;
      const sparse = typeof a.moe_layer_freq === "number" ? a.moe_layer_freq === 1 : !a.moe_layer_freq.includes(0);
      if (sparse && has(a, "mlp")) return "--cuda-graph-modules mlp needs dense layers, and every layer has experts";
      if (a.moe_expert_capacity_factor !== null && a.moe_pad_expert_input_to_capacity) return null;
      if (has(a, "moe"))
        return "--cuda-graph-modules moe needs --moe-expert-capacity-factor with --moe-pad-expert-input-to-capacity";
      return a.moe_token_dispatcher_type === "alltoall" &&
        (a.moe_expert_capacity_factor !== null || a.moe_router_padding_for_fp8) &&
        has(a, "moe_preprocess")
        ? "--cuda-graph-modules moe_preprocess cannot be combined with a capacity or with padded routing"
        : null;
    },
    why: "A graph fixes shapes: experts can be captured only if each gets the same number of tokens, and nothing is read back to the host in between.",
    fix: "List modules that can be captured: moe_router with moe_preprocess instead of moe, or moe with --moe-expert-capacity-factor and --moe-pad-expert-input-to-capacity; mlp only if some layers are dense.",
    base: "moe",
    fires: "--cuda-graph-impl local --cuda-graph-modules moe",
    silent: "--cuda-graph-impl local --cuda-graph-modules moe_router",
  }),
  demand("graphs-recompute", {
    about: ["recompute_granularity", "recompute_modules", "cuda_graph_impl"],
    check: (a) => {
      if (a.cuda_graph_impl === "none" || a.recompute_granularity === null) return null;
      if (a.recompute_granularity === "full")
        return a.cuda_graph_impl === "full_iteration"
          ? null
          : "full recomputation works only with --cuda-graph-impl full_iteration";
      if (a.cuda_graph_impl === "transformer_engine" && recomputes(a, "moe") && has(a, "moe_router"))
        return "--recompute-modules moe holds the router that --cuda-graph-modules moe_router captures";
      if (a.attention_dropout !== 0 && recomputes(a, "core_attn") && captures(a, "attn"))
        return "recomputed attention inside a graph needs --attention-dropout 0";
      const mlp = recomputes(a, "mlp") && captures(a, "mlp");
      const moe = recomputes(a, "moe") && captures(a, "moe");
      if (a.hidden_dropout !== 0 && (mlp || moe)) return "a recomputed MLP inside a graph needs --hidden-dropout 0";
      if (a.moe_input_jitter_eps !== null && moe)
        return "recomputed experts inside a graph cannot be combined with --moe-input-jitter-eps";
      const shared = a.moe_shared_expert_intermediate_size !== null && !a.moe_shared_expert_overlap;
      const sharded =
        a.gtp_weight_remat_size > 1 && a.cuda_graph_impl === "local" && (a.fp8 !== null || a.fp4 !== null);
      return sharded && shared && (captures(a, "moe") || has(a, "moe_router")) && recomputes(a, "shared_experts")
        ? "--recompute-modules shared_experts cannot be combined with local graphs of them, further weight shards and FP8 or FP4"
        : null;
    },
    why: "What is recomputed must be wholly inside or outside a graph, and draws no random numbers inside it: dropout is 0.1 unless turned off.",
    fix: "Set --attention-dropout 0 and --hidden-dropout 0, or recompute modules outside --cuda-graph-modules; full recomputation works with --cuda-graph-impl full_iteration.",
    fires: "--cuda-graph-impl local --recompute-granularity selective",
    silent: "--cuda-graph-impl local --recompute-granularity selective --attention-dropout 0 --hidden-dropout 0",
  }),
  demand("graphs-offload", {
    about: ["offload_modules", "cuda_graph_impl", "cuda_graph_modules"],
    check: (a) => {
      if (a.cuda_graph_impl === "none" || !a.fine_grained_activation_offloading) return null;
      if (a.cuda_graph_impl === "local") {
        const inside = a.offload_modules.filter((each) => !outside.has(each));
        if (inside.length > 0)
          return `local CUDA graphs cannot be combined with --offload-modules ${inside.join(" ")}`;
        if (a.cuda_graph_modules.length === 0)
          return "local CUDA graphs of whole layers cannot be combined with offloaded activations";
      }
      if (has(a, "moe")) return "--cuda-graph-modules moe cannot be combined with offloaded activations";
      if (a.cuda_graph_warmup_steps <= 0) return "offloaded activations need --cuda-graph-warmup-steps above 0";
      return a.cuda_graph_impl === "full_iteration" && (a.fine_grained_offloading_max_inflight_offloads ?? -1) < 0
        ? "a graph of the whole step needs --fine-grained-offloading-max-inflight-offloads"
        : null;
    },
    why: "Whatever is offloaded must be outside the graph, or the graph must know how much is in flight.",
    fix: "Remove modules inside a graph from --offload-modules, or write --cuda-graph-impl none; a graph of the whole step needs --fine-grained-offloading-max-inflight-offloads.",
    fires:
      "--cuda-graph-impl local --fine-grained-activation-offloading --offload-modules core_attn NVTE_CPU_OFFLOAD_V1=1",
    silent:
      "--cuda-graph-impl transformer_engine --fine-grained-activation-offloading --offload-modules core_attn NVTE_CPU_OFFLOAD_V1=1",
  }),
];
