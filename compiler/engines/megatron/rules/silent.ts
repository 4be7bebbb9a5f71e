/** What is accepted and breaks in the model, at the first step or at the first save; and what runs and is not what was meant. */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const attention = rulesOf("megatron/core/transformer/dot_product_attention.py: DotProductAttention.__init__");
const specs = rulesOf("megatron/core/models/gpt/gpt_layer_specs.py: get_mlp_module_spec");
const mamba = rulesOf("megatron/core/ssm/mamba_context_parallel.py: MambaContextParallel.__init__");
const router = rulesOf("megatron/core/transformer/moe/router.py: sinkhorn_load_balancing, aux_loss_load_balancing");
const shared = rulesOf(
  "megatron/core/transformer/moe/shared_experts.py: SharedExpertMLP.__init__; moe_layer.py: preprocess",
);
const dispatcher = rulesOf("megatron/core/transformer/moe/token_dispatcher.py: MoEFlexTokenDispatcher.__init__");
const schedule = rulesOf("megatron/core/optimizer_param_scheduler.py: OptimizerParamScheduler.get_lr");
const pipeline = rulesOf(
  "megatron/core/pipeline_parallel/schedules.py: forward_backward_pipelining_without_interleaving",
);
const saving = rulesOf("megatron/training/checkpointing.py: save_checkpoint");
const data = rulesOf(
  "megatron/core/datasets/blended_megatron_dataset_config.py: parse_and_normalize_split; blended_dataset.py: BlendedDataset.__init__",
);
const cached = rulesOf(
  "megatron/core/datasets/blended_megatron_dataset_config.py: BlendedMegatronDatasetConfig.__post_init__",
);
const loop = rulesOf("megatron/training/training.py: train");
const layers = rulesOf("transformer_engine/pytorch/utils.py: assert_dim_for_fp8_exec");

/** One entry of these lists becomes a plain value when it is validated. */
const balancing = (a: Arguments): readonly string[] => [a.moe_router_load_balancing_type].flat();
const coefficients = (a: Arguments): readonly number[] => [a.moe_aux_loss_coeff].flat();

/** What only layers of experts read, and is off unless somebody asks for it. */
const ofExperts = [
  ...([
    "moe_grouped_gemm",
    "moe_permute_fusion",
    "moe_ffn_hidden_size",
    "moe_shared_expert_intermediate_size",
  ] as const),
  ...(["moe_expert_capacity_factor", "moe_router_pre_softmax", "moe_router_dtype", "moe_z_loss_coeff"] as const),
];

export const silent: readonly Step[] = [
  specs.demand("experts-unused", {
    about: [...ofExperts, "moe_router_topk", "num_experts"],
    check: (a) => {
      if (a.num_experts !== null || a.hybrid_layer_pattern !== null) return null;
      const given = [
        ...ofExperts.filter((name) => a[name] !== null && a[name] !== false),
        ...(a.moe_router_topk === 2 ? [] : ["moe_router_topk"]),
      ];
      const flags = given.map((name) => `--${name.replaceAll("_", "-")}`).join(", ");
      return given.length === 0
        ? null
        : `${flags} ${given.length === 1 ? "does" : "do"} nothing without --num-experts`;
    },
    why: "Without --num-experts no layer has experts, whatever else is said of them: the model is a dense one, without a word.",
    severity: "warning",
    fix: "Add --num-experts N, or leave out what speaks of experts.",
    fires: "--moe-grouped-gemm --moe-router-topk 4",
    silent: "",
  }),
  attention.ban("context-local", {
    about: ["transformer_impl", "context_parallel_size"],
    when: (a) => a.context_parallel_size > 1 && a.transformer_impl === "local",
    says: "the local transformer has no context parallelism",
    why: "Only the attention of Transformer Engine passes keys and values between context-parallel ranks. The local one stops when the model is built, with every GPU already held.",
    fix: "Write --transformer-impl transformer_engine, or --context-parallel-size 1.",
    base: "local",
    fires: "--context-parallel-size 2",
    silent: "--context-parallel-size 1",
  }),
  mamba.demand("mamba-context", {
    about: ["context_parallel_size", "mamba_num_groups"],
    check: (a) => {
      const [ranks, tensor] = [a.context_parallel_size, a.tensor_model_parallel_size];
      if (ranks === 1 || !(a.hybrid_layer_pattern ?? "").includes("M")) return null;
      const heads = (a.mamba_num_heads ?? (2 * (a.hidden_size ?? 0)) / a.mamba_head_dim) / tensor;
      const groups = a.mamba_num_groups / tensor;
      if (!Number.isInteger(heads) || !Number.isInteger(groups)) return null;
      if (heads % ranks !== 0)
        return `${heads} Mamba heads of a rank do not divide among ${ranks} context-parallel ranks`;
      return groups % ranks === 0 || ranks % groups === 0
        ? null
        : `${groups} Mamba groups of a rank and ${ranks} context-parallel ranks do not divide one another`;
    },
    why: "Context parallelism of a Mamba layer gives each rank some of the heads, with whole groups or copies of them. Heads that do not divide leave a rank without its share.",
    fix: "Choose --context-parallel-size so that it divides the Mamba heads of a tensor-parallel rank, and their groups or a multiple of them.",
    base: "hybrid",
    fires: "--context-parallel-size 8 --mamba-num-heads 12 --mamba-head-dim 128 --mamba-num-groups 4",
    silent: "--context-parallel-size 4 --mamba-num-heads 12 --mamba-head-dim 128 --mamba-num-groups 4",
  }),
  router.demand("sinkhorn-coefficient", {
    about: ["moe_aux_loss_coeff", "moe_router_load_balancing_type"],
    check: (a) => {
      const sinkhorn = a.num_experts !== null && balancing(a).includes("sinkhorn");
      return sinkhorn && coefficients(a).some((coefficient) => coefficient !== 0)
        ? "sinkhorn routing goes with --moe-aux-loss-coeff 0"
        : null;
    },
    why: "Sinkhorn balances the experts itself, and the router refuses a loss besides at its first forward pass.",
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
    says: "nothing balances the experts: --moe-router-load-balancing-type asks for a loss whose coefficient is 0",
    why: "Nothing keeps the load even: a kind of balancing is chosen, and its loss counts nothing. A few experts soon take every token.",
    fix: "Give --moe-aux-loss-coeff 0.01, or add --moe-router-enable-expert-bias with --moe-router-score-function sigmoid; write --moe-router-load-balancing-type none where nothing should balance.",
    severity: "warning",
    base: "moe",
    fires: "--moe-aux-loss-coeff 0",
    silent: "",
  }),
  router.ban("router-precision", {
    about: ["moe_router_dtype", "num_experts"],
    when: (a) => (a.num_experts ?? 0) >= 32 && a.moe_router_dtype === null,
    says: "routing among 32 experts or more is unstable in 16 bits: write --moe-router-dtype fp32",
    why: "The engine warns of it: near ties between many experts are decided by rounding.",
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
    why: "The layer of shared experts has no biases, and building it with them stops when the GPUs are already held.",
    fix: "Add --disable-bias-linear.",
    base: "moeBiased",
    fires: "--moe-shared-expert-intermediate-size 1024",
    silent: "--moe-shared-expert-intermediate-size 1024 --disable-bias-linear",
  }),
  shared.ban("shared-experts-latent", {
    about: ["moe_shared_expert_overlap", "moe_latent_size"],
    when: (a) => a.num_experts !== null && a.moe_shared_expert_overlap && a.moe_latent_size !== null,
    says: "--moe-shared-expert-overlap does not go with --moe-latent-size",
    why: "The first training step refuses it: shared experts work at the width of the model, routed ones at the latent width.",
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
    says: "the flex dispatcher has nobody to send tokens to: expert-tensor x expert-parallel ranks are 1",
    why: "DeepEP and NCCL EP exchange tokens between ranks, and the layer refuses a single one when it is built.",
    fix: "Write --moe-token-dispatcher-type alltoall, or --expert-model-parallel-size 2 or more.",
    severity: "warning",
    base: "moe",
    fires: "--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend deepep --expert-model-parallel-size 1",
    silent: "--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend deepep --expert-model-parallel-size 2",
  }),
  schedule.demand("decay-early", {
    about: ["lr_decay_iters", "lr_decay_samples", "train_iters", "train_samples"],
    check: (a) => {
      for (const [decay, length, warmup, unit] of [
        [a.lr_decay_iters, a.train_iters, a.lr_warmup_iters, "steps"],
        [a.lr_decay_samples, a.train_samples, a.lr_warmup_samples, "samples"],
      ] as const) {
        if (decay === null || length === null || a.lr_decay_style === "WSD") continue;
        // A short hold at the lowest rate is how published recipes end.
        if (decay > 0.95 * length) continue;
        const why = warmup > 0 && decay + warmup === length ? "; it counts from the start, warm-up included" : "";
        return `the decay ends at ${decay} of ${length} ${unit}${why}`;
      }
      return null;
    },
    valid: (a) => [a.train_iters ?? a.train_samples ?? 0],
    why: "The decay is counted from the first sample, warm-up included. A shorter decay leaves the end of the run at the lowest rate.",
    fix: "Leave --lr-decay-iters (or --lr-decay-samples) out, so that the rate falls until the end of the run.",
    severity: "info",
    fires: "--lr-decay-iters 90 --lr-warmup-iters 10",
    silent: "--lr-decay-iters 96 --lr-warmup-iters 10",
  }),
  pipeline.demand("pipeline-idle", {
    about: ["global_batch_size", "pipeline_model_parallel_size"],
    check: (a) => {
      const [stages, micro] = [a.pipeline_model_parallel_size, a.micro_batch_size ?? 1];
      if (stages === 1 || a.global_batch_size === null || a.virtual_pipeline_model_parallel_size !== null)
        return null;
      const count = a.global_batch_size / (micro * a.data_parallel_size);
      if (!Number.isInteger(count) || count >= stages) return null;
      const idle = Math.round((100 * (stages - 1)) / (count + stages - 1));
      return `${count} micro-batches in ${stages} pipeline stages: the stages wait ${idle} % of the time`;
    },
    why: "A pipeline of p stages with m micro-batches waits (p - 1) / (m + p - 1) of the time. With fewer micro-batches than stages some stages never work at the same time as others.",
    fix: "Raise --global-batch-size to four micro-batches a stage or more, lower --micro-batch-size, or take fewer stages.",
    severity: "warning",
    fires: "--pipeline-model-parallel-size 4 --global-batch-size 4",
    silent: "--pipeline-model-parallel-size 4 --global-batch-size 16",
  }),
  saving.ban("checkpoint-async-torch", {
    about: ["ckpt_format", "async_save"],
    when: (a) => a.async_save && a.ckpt_format === "torch" && a.save !== null,
    says: "--async-save cannot write --ckpt-format torch",
    why: "Only torch_dist is written by a worker in the background; with the old format the first save stops the run.",
    fix: "Write --ckpt-format torch_dist, or leave --async-save out.",
    severity: "warning",
    fires: "--async-save --use-persistent-ckpt-worker --ckpt-format torch --save out --save-interval 10",
    silent: "--async-save --use-persistent-ckpt-worker --ckpt-format torch_dist --save out --save-interval 10",
  }),
  data.demand("data-split", {
    about: ["split"],
    check: ({ split, data_path: path }) => {
      if (split === null || path === null) return null;
      const parts = split.split(/[,/]/).map((part) => Number(part.trim()));
      if (parts.some((part) => Number.isNaN(part))) return `--split ${split} is no list of numbers`;
      if (parts.length > 3) return `--split ${split} has ${parts.length} parts: training, validation and test are 3`;
      if (parts.some((part) => part < 0)) return `--split ${split} has a part below 0`;
      return parts.reduce((sum, part) => sum + part, 0) > 0 ? null : `--split ${split} gives nothing to any set`;
    },
    why: "The split gives each of the training, validation and test sets its share of the documents. Its assertions have no text.",
    fix: "Write three parts from 0 on, the first above 0: --split 99,1,0.",
    fires: "--split 90,5,-5 --data-path text",
    silent: "--split 90,5,5 --data-path text",
    base: "unmocked",
  }),
  cached.ban("data-cache", {
    about: ["data_cache_path", "dataloader_fast_cache_load", "dataloader_defer_npy_index_mmap"],
    when: (a) => (a.dataloader_fast_cache_load || a.dataloader_defer_npy_index_mmap) && a.data_cache_path === null,
    says: "reading indexes from a cache needs --data-cache-path",
    why: "The faster ways to open a data set take its indexes from a cache that was built before, and building the data stops without one.",
    fix: "Add --data-cache-path DIR to a cache that an earlier job has built, or leave --dataloader-fast-cache-load and --dataloader-defer-npy-index-mmap out.",
    severity: "warning",
    fires: "--dataloader-defer-npy-index-mmap",
    silent: "--dataloader-defer-npy-index-mmap --data-cache-path cache",
  }),
  cached.ban("data-cache-blend", {
    about: ["data_path", "dataloader_fast_cache_load"],
    when: (a) => a.dataloader_fast_cache_load && a.data_path !== null,
    says: "--dataloader-fast-cache-load goes with data paths for each split, not with --data-path",
    why: "A path that is split is divided anew at every start, which the cache cannot know.",
    fix: "Give --train-data-path (and --valid-data-path) in place of --data-path, or leave --dataloader-fast-cache-load out.",
    severity: "warning",
    base: "unmocked",
    fires: "--dataloader-fast-cache-load --data-cache-path cache --data-path text",
    silent: "--dataloader-fast-cache-load --data-cache-path cache --train-data-path text",
  }),
  saving.ban("checkpoint-integrity", {
    about: ["verify_integrity", "ckpt_format"],
    when: (a) => a.verify_integrity && a.ckpt_format !== "torch_dist",
    says: "--verify-integrity is for --ckpt-format torch_dist",
    why: "Only torch_dist writes sums of its parts beside them. With another format nothing is verified, and the first save stops.",
    fix: "Write --ckpt-format torch_dist, or leave --verify-integrity out.",
    severity: "warning",
    fires: "--verify-integrity --ckpt-format torch",
    silent: "--verify-integrity --ckpt-format torch_dist",
  }),
  data.demand("data-weights", {
    about: ["data_path"],
    check: ({ data_path: path }) => {
      const words = path ?? [];
      const weights = words.filter((_, index) => index % 2 === 0).map(Number);
      if (words.length < 2 || words.length % 2 !== 0 || weights.some((weight) => Number.isNaN(weight))) return null;
      const wrong = weights.find((weight) => weight <= 0);
      return wrong === undefined ? null : `--data-path gives a set the weight ${wrong}: leave it out`;
    },
    why: "Every set of a blend is drawn from by its weight. One with weight 0 would never be read, and the engine stops when it builds the blend.",
    fix: "Leave the set with weight 0 out, or give it a weight above 0.",
    fires: "--data-path 1 a 0 b",
    silent: "--data-path 1 a 1 b",
    base: "unmocked",
  }),
  loop.demand("collection-interval", {
    about: ["manual_gc_interval", "manual_gc"],
    check: (a) =>
      a.manual_gc && a.manual_gc_interval < 0 ? `--manual-gc-interval ${a.manual_gc_interval} is below 0` : null,
    why: "Python's garbage is collected every so many steps, or never for 0. A number below zero divides the steps by what is no interval.",
    fix: "Set --manual-gc-interval to 0 or more.",
    fires: "--manual-gc --manual-gc-interval -1",
    silent: "--manual-gc --manual-gc-interval 10",
  }),
  layers.demand("fp8-multiples", {
    about: ["hidden_size", "ffn_hidden_size", "tensor_model_parallel_size", "fp8_recipe"],
    check: (a) => {
      if (a.fp8 === null || a.transformer_impl === "local") return null;
      const unit = a.fp8_recipe === "mxfp8" ? 32 : 16;
      const parts: readonly (readonly [string, number | null])[] = [
        ["hidden size", a.hidden_size],
        ["MLP width", a.ffn_hidden_size === null ? null : a.ffn_hidden_size / a.tensor_model_parallel_size],
      ];
      const wrong = parts.find(([, size]) => size !== null && size % unit !== 0);
      return wrong === undefined
        ? null
        : `a ${wrong[0]} of ${wrong[1]} on a rank is no multiple of ${unit}, which FP8 multiplies in`;
    },
    why: "FP8 matrix units work on multiples of 16, MXFP8 on blocks of 32. Transformer Engine refuses others in the first forward pass.",
    fix: "Make the width that is named a multiple of 16 on each rank (32 for mxfp8), or take fewer tensor-parallel ranks.",
    severity: "warning",
    fires: "--fp8-format hybrid --ffn-hidden-size 1000",
    silent: "--fp8-format hybrid --ffn-hidden-size 1024",
  }),
];
