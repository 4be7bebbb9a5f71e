/**
 * What parts of the model and its optimizer refuse when they are built or first called, with every GPU already held. The arguments
 * themselves pass every check, and so these are warnings.
 */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const mixer = rulesOf("megatron/core/ssm/mamba_mixer.py: MambaMixer.__init__");
const delta = rulesOf("megatron/core/ssm/gated_delta_net/common.py: _GDNBase.__init__");
const count = rulesOf("megatron/training/training.py: num_floating_point_operations");
const router = rulesOf("megatron/core/transformer/moe/router.py: TopKRouter.quantile_balancing");
const experts = rulesOf("megatron/core/transformer/moe/experts.py: TEGroupedMLP.__init__, forward");
const layer = rulesOf("megatron/core/transformer/moe/moe_layer.py: MoELayer.__init__");
const emerging = rulesOf("megatron/core/optimizer/__init__.py: get_megatron_optimizer (emerging optimizers)");
const blends = rulesOf(
  "megatron/core/datasets/blended_megatron_dataset_config.py: BlendedMegatronDatasetConfig.__post_init__",
);
const remade = rulesOf("megatron/training/initialize.py: _initialize_distributed");
const shared = rulesOf("megatron/core/optimizer/distrib_optimizer.py: DistributedOptimizer.__init__");
const prediction = rulesOf("megatron/core/transformer/multi_token_prediction.py: MultiTokenPredictionLayer");
const attention = rulesOf("megatron/core/extensions/transformer_engine.py: TEDotProductAttention.__init__");
const overlap = rulesOf("megatron/training/initialize.py: _initialize_tp_communicators");
const specs = rulesOf("megatron/core/models/gpt/gpt_layer_specs.py: get_gpt_layer_with_transformer_engine_spec");
const storage = rulesOf("megatron/core/datasets/gpt_dataset.py: GPTDataset.build_low_level_dataset");
const buffers = rulesOf(
  "megatron/core/distributed/distributed_data_parallel_config.py: DistributedDataParallelConfig.__post_init__",
);
const loaders = rulesOf(
  "megatron/training/training.py: build_train_valid_test_data_loaders, evaluate_and_print_results",
);

const isGated = (a: Arguments): boolean =>
  ["gdn", "gated_delta_net"].includes(a.experimental_attention_variant ?? "");
const isLinear = (a: Arguments): boolean => isGated(a) || a.experimental_attention_variant === "gdn2";
const usesEngine = (a: Arguments): boolean => a.transformer_impl === "transformer_engine";
/** FP8 matrix units multiply in multiples of 16, those of MXFP8 in blocks of 32. */
const unitOf = (a: Arguments): number => (a.fp8_recipe === "mxfp8" ? 32 : 16);

/** Prefixes of the data, weights left out. */
const prefixes = (a: Arguments): readonly string[] =>
  [a.data_path, a.train_data_path, a.valid_data_path, a.test_data_path].flatMap((words) => words ?? []);
const isRemote = (prefix: string): boolean => /^(?:s3|msc):\/\//.test(prefix);

export const build: readonly Step[] = [
  mixer.demand("mamba-fp8", {
    about: ["mamba_num_heads", "mamba_state_dim", "mamba_num_groups", "fp8"],
    check: (a) => {
      if (a.fp8 === null || a.hybrid_layer_pattern?.includes("M") !== true) return null;
      const heads = a.mamba_num_heads ?? Math.floor((2 * (a.hidden_size ?? 0)) / a.mamba_head_dim);
      const width = 2 * heads * a.mamba_head_dim + 2 * a.mamba_num_groups * a.mamba_state_dim + heads;
      return width % 16 === 0
        ? null
        : `a Mamba layer projects to ${width} channels (${heads} heads), no multiple of 16, which FP8 multiplies in`;
    },
    why: "The input projection holds the gate, the input, B and C of every group, and a step for each head side by side. Its width is what FP8 has to divide into sixteens.",
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
        : `a gated delta net projects to ${width} channels, no multiple of ${unitOf(a)}, which FP8 multiplies in`;
    },
    why: "Queries, keys, values, a gate and two numbers for each value head come out of one projection, whose width FP8 has to divide.",
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
    why: "A list says of each layer whether its attention is linear. The run stops at its first line of the log, where operations are counted.",
    severity: "warning",
    fix: "Give --linear-attention-freq one entry for each layer, or a number: every so many layers have full attention.",
    fires:
      "--experimental-attention-variant gated_delta_net --linear-attention-freq [1]*3+[0] --linear-num-key-heads 8 --linear-num-value-heads 8",
    silent:
      "--experimental-attention-variant gated_delta_net --linear-attention-freq ([1]*3+[0])*3 --linear-num-key-heads 8 --linear-num-value-heads 8",
  }),
  router.demand("quantile-balancing", {
    about: ["moe_router_load_balancing_type", "moe_router_fusion", "moe_router_num_groups"],
    check: (a) => {
      if (![a.moe_router_load_balancing_type].flat().includes("quantile_balancing")) return null;
      if (a.moe_router_fusion) return "quantile balancing does not go with --moe-router-fusion";
      return a.moe_router_num_groups === null && a.moe_router_group_topk === null
        ? null
        : "quantile balancing does not go with --moe-router-num-groups and --moe-router-group-topk";
    },
    why: "Quantile balancing picks the experts by a bias of its own, which the fused kernels and the choice of groups do not know. The router stops in the first forward pass.",
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
    says: "grouped experts with biases do not go with the fused bias and dropout",
    why: "The grouped product adds the biases of its experts itself; the fused kernel would add them behind it a second time.",
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
    why: "The two projections around a narrower space of the experts are layers of Transformer Engine; there are none of the engine's own.",
    severity: "warning",
    fix: "Take an image with Transformer Engine, or leave --moe-latent-size out.",
    base: "moe",
    fires: "--moe-latent-size 256 TE=none",
    silent: "--moe-latent-size 256",
  }),
  emerging.demand("muon-instances", {
    about: ["num_distributed_optimizer_instances", "optimizer", "overlap_param_gather_with_optimizer_step"],
    check: (a) => {
      if (!a.use_layer_wise_distributed_optimizer) return null;
      if (a.num_distributed_optimizer_instances !== 1 && a.use_layer_wise_param_layout)
        return `--optimizer ${a.optimizer} spreads layers over one optimizer instance, not ${a.num_distributed_optimizer_instances}`;
      return a.overlap_param_gather_with_optimizer_step
        ? `--optimizer ${a.optimizer} does not go with --overlap-param-gather-with-optimizer-step`
        : null;
    },
    why: "With --use-distributed-optimizer such an optimizer gives every rank whole layers. Several instances would share the layers out again, and there is no first part of the model whose weights could be gathered early.",
    severity: "warning",
    fix: "Set --num-distributed-optimizer-instances 1 and leave --overlap-param-gather-with-optimizer-step out, or write --optimizer adam.",
    fires: "--optimizer muon --use-distributed-optimizer --num-distributed-optimizer-instances 2",
    silent: "--optimizer muon --use-distributed-optimizer",
  }),
  blends.ban("data-split-beside-paths", {
    about: ["split", "train_data_path", "valid_data_path", "test_data_path", "per_split_data_args_path"],
    when: (a) =>
      a.split !== null &&
      [a.train_data_path, a.valid_data_path, a.test_data_path, a.per_split_data_args_path].some(
        (each) => each !== null,
      ),
    says: "--split divides one blend, and the data have a blend for each split",
    why: "Either one blend is divided, or each split has its own. The data sets refuse both when they are built.",
    severity: "warning",
    fix: "Leave --split out, or give --data-path in place of --train-data-path and its kin.",
    base: "unmocked",
    fires: "--train-data-path a --split 99,1,0",
    silent: "--data-path a --split 99,1,0",
  }),
  shared.ban("optimizer-sgd-shared", {
    about: ["optimizer", "use_distributed_optimizer"],
    when: (a) =>
      a.optimizer === "sgd" && a.use_distributed_optimizer && !a.optimizer_cpu_offload && !a.use_megatron_fsdp,
    says: "--use-distributed-optimizer shares out no states of --optimizer sgd",
    why: "The distributed optimizer makes the states that it shares out as Adam has them, and takes no other optimizer but one on the host. It stops when the optimizer is built.",
    severity: "warning",
    fix: "Leave --use-distributed-optimizer out, or write --optimizer adam.",
    fires: "--optimizer sgd --use-distributed-optimizer",
    silent: "--optimizer sgd",
  }),
  prediction.ban("prediction-recompute", {
    about: ["recompute_num_layers", "mtp_num_layers"],
    when: (a) =>
      (a.mtp_num_layers ?? 0) > 0 &&
      a.recompute_granularity === "full" &&
      a.recompute_method === "uniform" &&
      a.recompute_num_layers !== 1,
    says: "multi-token prediction with uniform recomputation needs --recompute-num-layers 1",
    why: "A prediction depth is one layer, so that it cannot be recomputed by twos. The run stops in the first backward pass.",
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
    why: "Transformer Engine reads the scaling out of the environment alone, so that the argument and the variable have to say the same. Building the first layer stops otherwise.",
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
    why: "These forms of attention came to Transformer Engine one after the other. An older one stops when the first layer is built.",
    severity: "warning",
    fix: "Take an image with the version that the message names, or leave the option out.",
    fires: "--softmax-type off-by-one TE=2.7.0",
    silent: "--softmax-type off-by-one TE=2.8.0",
  }),
  remade.ban("weight-shards-engine", {
    about: ["tensor_parallel_num_weight_shards", "expert_tensor_parallel_num_weight_shards"],
    when: (a, { te }) => (a.gtp_weight_remat_size > 1 || a.expert_gtp_weight_remat_size > 1) && !te("2.19.0"),
    says: "further weight shards need Transformer Engine 2.19 or later",
    why: "Its layers gather such shards before they multiply. An older one stops when the groups of ranks are made.",
    severity: "warning",
    fix: "Take an image with Transformer Engine 2.19 or later, or leave --tensor-parallel-num-weight-shards out.",
    fires: "--tensor-parallel-num-weight-shards 2 TE=2.18.0",
    silent: "--tensor-parallel-num-weight-shards 2 TE=2.19.0",
  }),
  overlap.ban("tensor-overlap-engine", {
    about: ["tp_comm_overlap"],
    when: (a, { te }) => a.tp_comm_overlap && !te(),
    says: "--tp-comm-overlap needs Transformer Engine",
    why: "Transfers are overlapped with products by its user buffers, which are made before the model.",
    severity: "warning",
    fix: "Take an image with Transformer Engine, or leave --tp-comm-overlap out.",
    base: "local",
    fires: "--tp-comm-overlap --tensor-model-parallel-size 2 --sequence-parallel TE=none",
    silent: "--tp-comm-overlap --tensor-model-parallel-size 2 --sequence-parallel",
  }),
  specs.ban("mla-l2-norm", {
    about: ["qk_l2_norm", "multi_latent_attention"],
    when: (a) => a.qk_l2_norm && a.multi_latent_attention,
    says: "--qk-l2-norm does not go with --multi-latent-attention",
    why: "Latent attention rebuilds queries and keys from a latent and norms that; there is no place for a norm of single heads.",
    severity: "warning",
    fix: "Leave --qk-l2-norm out; --qk-layernorm norms the latents.",
    fires: "--qk-l2-norm --multi-latent-attention",
    silent: "--qk-layernorm --multi-latent-attention",
  }),
  storage.demand("data-storage", {
    about: ["object_storage_cache_path", "mmap_bin_files", "data_path"],
    check: (a) => {
      const remote = prefixes(a).find(isRemote);
      if (remote === undefined) return null;
      if (a.object_storage_cache_path === null) return `${remote} needs --object-storage-cache-path`;
      return a.mmap_bin_files ? `${remote} needs --no-mmap-bin-files` : null;
    },
    why: "What lies in object storage is no file that could be mapped into memory: indexes are copied to a folder of the node, and the tokens are fetched piece by piece. The assertion that says so has no text.",
    severity: "warning",
    fix: "Add --object-storage-cache-path DIR and --no-mmap-bin-files, or copy the data to a disk.",
    base: "unmocked",
    fires: "--data-path s3://bucket/text --object-storage-cache-path /tmp/idx",
    silent: "--data-path s3://bucket/text --object-storage-cache-path /tmp/idx --no-mmap-bin-files",
  }),
  buffers.ban("nccl-buffers-segments", {
    about: ["nccl_ub"],
    when: (a, { env }) =>
      a.nccl_ub && (env("PYTORCH_CUDA_ALLOC_CONF") ?? "").split(",").includes("expandable_segments:True"),
    says: "--use-nccl-ub with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True is refused before PyTorch 2.11",
    why: "Buffers that NCCL registers must stay where they are, and older versions of PyTorch let expandable segments move under them.",
    severity: "warning",
    fix: "Take expandable_segments:True out of PYTORCH_CUDA_ALLOC_CONF, or an image with PyTorch 2.11 or later.",
    fires: "--use-nccl-ub --use-distributed-optimizer PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    silent: "--use-nccl-ub --use-distributed-optimizer PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512",
  }),
  loaders.demand("validation-sets", {
    about: ["multiple_validation_sets", "full_validation", "validation_set_names"],
    check: (a) => {
      if (a.multiple_validation_sets && !a.full_validation && !a.skip_train)
        return "--multiple-validation-sets needs --full-validation";
      return a.validation_set_names !== null && !a.multiple_validation_sets
        ? "--validation-set-names needs --multiple-validation-sets"
        : null;
    },
    why: "How far each of several sets was read is counted nowhere, so that they are read whole each time. The run stops when its data are built, or at its first evaluation.",
    severity: "warning",
    fix: "Add --full-validation with --multiple-validation-sets, or leave both and --validation-set-names out.",
    fires: "--multiple-validation-sets",
    silent: "--multiple-validation-sets --full-validation",
  }),
];
