/** Recomputation, offloading and captured modules, as the model configuration checks them. */
import type { Arguments } from "../../launch.ts";
import { rulesOf, settle, type Step } from "../../step.ts";

const { ban, demand } = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__");
const block = rulesOf("megatron/core/transformer/transformer_block.py: TransformerBlock.forward");

const recomputable = [
  ...["core_attn", "moe_act", "layernorm", "mla_up_proj", "mlp", "moe", "shared_experts"],
  ...["gdn_norm_out", "gdp_in_proj", "gdp_qkv", "mhc"],
];
const movable = [
  ...["core_attn", "attn_proj", "expert_fc1", "fused_group_mlp", "moe_act", "attn_norm", "mlp_norm"],
  ...["qkv_linear", "gdp_qkv"],
];
/** Activations inside an expert layer. */
const insideExperts = ["moe_act", "expert_fc1", "fused_group_mlp"];

const modulesOf = (a: Arguments): readonly string[] => a.recompute_modules ?? ["core_attn"];
const recomputes = (a: Arguments, module: string): boolean =>
  a.recompute_granularity === "selective" && modulesOf(a).includes(module);
const offloads = (a: Arguments, modules: readonly string[]): readonly string[] =>
  a.offload_modules.filter((each) => modules.includes(each));

export const memoryConfig: readonly Step[] = [
  demand("layer-offload", {
    about: ["cpu_offloading_num_layers", "num_layers", "pipeline_model_parallel_size", "recompute_granularity"],
    check: (a) => {
      if (!a.cpu_offloading) return null;
      const count = a.cpu_offloading_num_layers;
      if (count >= (a.num_layers ?? 0))
        return `--cpu-offloading-num-layers ${count} is not less than the ${a.num_layers} layers`;
      if (a.pipeline_model_parallel_size > 1)
        return "--cpu-offloading-num-layers cannot be combined with pipeline parallelism";
      return a.recompute_granularity === null
        ? null
        : "--cpu-offloading-num-layers cannot be combined with recomputation";
    },
    why: "Activations of the first layers are moved to the host while the last ones run: at least one layer stays on the device, in a single stage.",
    fix: "Set --cpu-offloading-num-layers below --num-layers, with one pipeline stage and without recomputation; or leave it out.",
    fires: "--cpu-offloading-num-layers 12",
    silent: "--cpu-offloading-num-layers 4",
  }),
  block.demand("recompute-idle", {
    about: ["recompute_method", "recompute_num_layers", "recompute_granularity"],
    check: (a) => {
      const said = [
        ...(a.recompute_method === null ? [] : ["--recompute-method"]),
        ...(a.recompute_num_layers === null ? [] : ["--recompute-num-layers"]),
      ];
      // Beside overlapped exchanges of experts either is refused.
      return a.recompute_granularity !== null || said.length === 0 || a.overlap_moe_expert_parallel_comm
        ? null
        : `${said.join(" and ")} ${said.length === 1 ? "has" : "have"} no effect without --recompute-granularity full`;
    },
    why: "These options apply only to full recomputation. Without it nothing is recomputed, without any message.",
    fix: "Add --recompute-granularity full (in a stage: `layout { recompute = full(uniform = …) }`), or leave the other two out.",
    severity: "info",
    fires: "--recompute-num-layers 2",
    silent: "--recompute-granularity full --recompute-method uniform --recompute-num-layers 2",
  }),
  demand("recompute-full", {
    about: ["recompute_method", "recompute_num_layers", "recompute_granularity"],
    check: (a) => {
      if (a.recompute_granularity === null) return null;
      if (a.recompute_granularity === "selective")
        return a.recompute_num_layers === null
          ? null
          : "--recompute-num-layers belongs to --recompute-granularity full";
      if (a.recompute_method === null)
        return "--recompute-granularity full needs --recompute-method uniform or block";
      if (a.recompute_num_layers === null) return "--recompute-granularity full needs --recompute-num-layers";
      return a.distribute_saved_activations && a.sequence_parallel
        ? "--distribute-saved-activations cannot be combined with --sequence-parallel"
        : null;
    },
    why: "Full recomputation counts layers: uniform keeps the input of every Nth layer, block recomputes N layers of a stage. Selective recomputation names modules.",
    fix: "Write --recompute-granularity full --recompute-method uniform --recompute-num-layers 1, or --recompute-granularity selective with --recompute-modules and neither of the other two.",
    fires: "--recompute-granularity full",
    silent: "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1",
  }),
  demand("recompute-modules", {
    about: ["recompute_modules", "moe_grouped_gemm", "multi_latent_attention"],
    check: (a, { te }) => {
      if (a.recompute_granularity !== "selective") return null;
      const strange = modulesOf(a).filter((each) => !recomputable.includes(each));
      if (strange.length > 0) return `there is no module ${strange.join(", ")} for --recompute-modules`;
      if (recomputes(a, "moe_act") && !a.moe_grouped_gemm)
        return "--recompute-modules moe_act needs --moe-grouped-gemm";
      if (recomputes(a, "mla_up_proj") && !a.multi_latent_attention)
        return "--recompute-modules mla_up_proj needs --multi-latent-attention";
      if (recomputes(a, "gdn_norm_out") && !["gdn", "gdn2"].includes(a.experimental_attention_variant ?? ""))
        return "--recompute-modules gdn_norm_out needs a gated delta net";
      if (
        recomputes(a, "shared_experts") &&
        a.moe_shared_expert_intermediate_size !== null &&
        a.moe_shared_expert_overlap
      )
        return "--recompute-modules shared_experts cannot be combined with --moe-shared-expert-overlap";
      if (a.fp8 === null || (!recomputes(a, "moe_act") && !recomputes(a, "layernorm"))) return null;
      if (a.fp8_recipe === "delayed")
        return "--recompute-modules moe_act and layernorm cannot be combined with --fp8-recipe delayed";
      return te("2.6.0")
        ? null
        : "--recompute-modules moe_act and layernorm in FP8 need Transformer Engine 2.6 or later";
    },
    valid: () => recomputable,
    why: "Each module has its own recomputation, so it must be part of the model.",
    fix: "List modules from `valid` that the model has, and do what the message says for a module; or leave that module out of --recompute-modules.",
    fires: "--recompute-granularity selective --recompute-modules attention",
    silent: "--recompute-granularity selective --recompute-modules layernorm mlp",
  }),
  ban("recompute-moe-layer", {
    about: ["moe_layer_recompute", "recompute_granularity"],
    when: (a) => a.moe_layer_recompute && a.recompute_granularity === "full",
    says: "--moe-layer-recompute cannot be combined with --recompute-granularity full",
    why: "It is an old name of --recompute-granularity selective --recompute-modules moe.",
    fix: "Leave --moe-layer-recompute out: full recomputation includes it.",
    base: "moe",
    fires: "--moe-layer-recompute --recompute-granularity full --recompute-method uniform --recompute-num-layers 1",
    silent: "--moe-layer-recompute",
  }),
  settle(["recompute_granularity", "recompute_modules"], (a) => {
    if (!a.moe_layer_recompute || a.recompute_granularity === "full") return;
    a.recompute_granularity = "selective";
    a.recompute_modules = [...new Set([...modulesOf(a), "moe"])];
  }),
  demand("recompute-connections", {
    about: ["recompute_modules", "enable_mhc_connections", "mhc_recompute_layer_num"],
    check: (a) => {
      if (!recomputes(a, "mhc")) return null;
      if (!a.enable_mhc_connections) return "--recompute-modules mhc needs --enable-mhc-connections";
      if (recomputes(a, "mlp")) return "--recompute-modules takes mhc or mlp, not both";
      if (a.mhc_recompute_layer_num !== null && a.mhc_recompute_layer_num < 1)
        return `--mhc-recompute-layer-num ${a.mhc_recompute_layer_num} is not positive`;
      return a.fine_grained_activation_offloading
        ? "--recompute-modules mhc cannot be combined with --fine-grained-activation-offloading"
        : null;
    },
    why: "Hyper-connections are recomputed in groups of layers, by hooks that would conflict with those of the other modules.",
    fix: "Add --enable-mhc-connections, without mlp in the list and without --fine-grained-activation-offloading; or leave mhc out of --recompute-modules.",
    fires: "--recompute-granularity selective --recompute-modules mhc",
    silent: "--recompute-granularity selective --recompute-modules mhc --enable-mhc-connections",
  }),
  demand("hyper-connections", {
    about: ["enable_mhc_connections", "mtp_num_layers", "recompute_granularity", "pipeline_model_parallel_size"],
    check: (a) => {
      if (!a.enable_mhc_connections) return null;
      const name = "--enable-mhc-connections";
      if (a.mtp_num_layers !== null) return `${name} cannot be combined with multi-token prediction`;
      if (a.recompute_granularity === "full") return `${name} cannot be combined with full recomputation`;
      if (a.inference_fuse_tp_communication)
        return `${name} cannot be combined with --inference-fuse-tp-communication`;
      if (a.pipeline_model_parallel_size > 1) return `${name} cannot be combined with pipeline parallelism`;
      if (a.fp32_residual_connection) return `${name} cannot be combined with --fp32-residual-connection`;
      if (a.mhc_sinkhorn_iterations < 1)
        return `--mhc-sinkhorn-iterations ${a.mhc_sinkhorn_iterations} is less than 1`;
      return a.mhc_init_gating_factor < 0 ? `--mhc-init-gating-factor ${a.mhc_init_gating_factor} is negative` : null;
    },
    why: "The residual has several streams, mixed by a doubly stochastic matrix; other parts still assume one.",
    fix: "Remove what the message names (multi-token prediction, full recomputation, pipeline stages, an fp32 residual), or --enable-mhc-connections.",
    fires: "--enable-mhc-connections --pipeline-model-parallel-size 2",
    silent: "--enable-mhc-connections",
  }),
  demand("offload-modules", {
    about: ["offload_modules", "fine_grained_activation_offloading"],
    check: (a) => {
      if (!a.fine_grained_activation_offloading) return null;
      if (a.cpu_offloading)
        return "--fine-grained-activation-offloading cannot be combined with --cpu-offloading-num-layers";
      if (a.offload_modules.length === 0) return "--fine-grained-activation-offloading needs --offload-modules";
      const strange = a.offload_modules.filter((each) => !movable.includes(each));
      if (strange.length > 0) return `there is no module ${strange.join(", ")} for --offload-modules`;
      const has = (module: string): boolean => a.offload_modules.includes(module);
      if (has("attn_proj") && !has("core_attn")) return "--offload-modules attn_proj also needs core_attn";
      if (has("gdp_qkv") && recomputes(a, "gdp_in_proj"))
        return "--offload-modules gdp_qkv cannot be combined with --recompute-modules gdp_in_proj";
      const inside = offloads(a, insideExperts);
      if (recomputes(a, "moe") && inside.length > 0)
        return `--offload-modules ${inside.join(" ")} cannot be combined with --recompute-modules moe`;
      if (has("fused_group_mlp") && !a.use_transformer_engine_op_fuser)
        return "--offload-modules fused_group_mlp needs --use-transformer-engine-op-fuser";
      return has("fused_group_mlp") && inside.length > 1
        ? "--offload-modules fused_group_mlp already holds expert_fc1 and moe_act"
        : null;
    },
    valid: () => movable,
    why: "Inputs of the named modules move to the host until the backward pass needs them; a recomputed module, or one that is part of another, is not moved twice.",
    fix: "List modules from `valid` in --offload-modules, none of them recomputed or part of another, and core_attn with attn_proj; or leave --fine-grained-activation-offloading out.",
    fires: "--fine-grained-activation-offloading NVTE_CPU_OFFLOAD_V1=1",
    silent: "--fine-grained-activation-offloading --offload-modules core_attn NVTE_CPU_OFFLOAD_V1=1",
  }),
  demand("offload-amounts", {
    about: ["min_offloaded_tensor_size", "activation_offload_fraction", "delta_offload_bytes_across_pp_ranks"],
    check: (a) => {
      if (!a.fine_grained_activation_offloading) return null;
      if (a.min_offloaded_tensor_size < 0)
        return `--min-offloaded-tensor-size ${a.min_offloaded_tensor_size} is negative`;
      if (a.activation_offload_fraction < 0 || a.activation_offload_fraction > 1)
        return `--activation-offload-fraction ${a.activation_offload_fraction} is not between 0 and 1`;
      return a.delta_offload_bytes_across_pp_ranks < 0
        ? `--delta-offload-bytes-across-pp-ranks ${a.delta_offload_bytes_across_pp_ranks} is negative`
        : null;
    },
    why: "Sizes are counted in bytes, and the fraction is of everything that could be moved: it cannot be negative or above 1.",
    fix: "Set --activation-offload-fraction between 0 and 1, and the sizes in bytes to 0 or more.",
    fires:
      "--fine-grained-activation-offloading --offload-modules core_attn --activation-offload-fraction 1.5 NVTE_CPU_OFFLOAD_V1=1",
    silent:
      "--fine-grained-activation-offloading --offload-modules core_attn --activation-offload-fraction 0.5 NVTE_CPU_OFFLOAD_V1=1",
  }),
  ban("delta-product-states", {
    about: ["gdp_num_chunk_states_to_recompute"],
    when: (a) =>
      a.gdp_cutedsl_kernel && (a.gdp_num_chunk_states_to_recompute < 0 || a.gdp_num_chunk_states_to_recompute > 64),
    says: "--gdp-num-chunk-states-to-recompute must be between 0 and 64",
    why: "The kernel keeps the states of at most 64 chunks, and refuses more when it is first called.",
    fix: "Set --gdp-num-chunk-states-to-recompute between 0 and 64.",
    fires: "--gdp-cutedsl-kernel --gdp-num-chunk-states-to-recompute 65",
    silent: "--gdp-cutedsl-kernel --gdp-num-chunk-states-to-recompute 2",
  }),
  ban("weight-shard-modules", {
    about: ["gtp_remat_opt_in_modules"],
    when: (a) => (a.gtp_remat_opt_in_modules ?? []).some((each) => each !== "moe_latent_proj"),
    says: "--gtp-remat-opt-in-modules knows moe_latent_proj only",
    why: "Only one kind of module, moe_latent_proj, is optional. All other weights are either always sharded or never.",
    fix: "Write --gtp-remat-opt-in-modules moe_latent_proj, or leave it out.",
    fires: "--gtp-remat-opt-in-modules attention",
    silent: "--gtp-remat-opt-in-modules moe_latent_proj",
  }),
  demand("paged-stash", {
    about: ["moe_paged_stash", "moe_expert_rank_capacity_factor", "offload_modules"],
    check: (a) => {
      if (!a.moe_paged_stash) return null;
      if (a.cpu_offloading) return "--moe-paged-stash cannot be combined with --cpu-offloading-num-layers";
      if (a.moe_expert_rank_capacity_factor === null)
        return "--moe-paged-stash needs --moe-expert-rank-capacity-factor";
      const inside = offloads(a, insideExperts);
      return inside.length > 0 ? `--moe-paged-stash already keeps ${inside.join(", ")} of --offload-modules` : null;
    },
    why: "Activations of experts are kept in pages of a buffer whose size comes from the capacity.",
    fix: "Add --moe-expert-rank-capacity-factor, and remove expert_fc1, moe_act and fused_group_mlp from --offload-modules; or leave --moe-paged-stash out.",
    base: "moe",
    fires: "--moe-paged-stash",
    silent:
      "--moe-paged-stash --moe-expert-rank-capacity-factor 1.5 --moe-token-dispatcher-type flex --moe-flex-dispatcher-backend ncclep",
  }),
];
