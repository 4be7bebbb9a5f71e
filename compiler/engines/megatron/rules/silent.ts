/** What is accepted and breaks in the model, at the first step or at the first save; and what runs and is not what was meant. */
import { rulesOf, type Step } from "../step.ts";

const attention = rulesOf("megatron/core/transformer/dot_product_attention.py: DotProductAttention.__init__");
const mamba = rulesOf("megatron/core/ssm/mamba_context_parallel.py: MambaContextParallel.__init__");
const schedule = rulesOf("megatron/core/optimizer_param_scheduler.py: OptimizerParamScheduler.get_lr");
const pipeline = rulesOf(
  "megatron/core/pipeline_parallel/schedules.py: forward_backward_pipelining_without_interleaving",
);
const loop = rulesOf("megatron/training/training.py: train");
const layers = rulesOf("transformer_engine/pytorch/utils.py: assert_dim_for_fp8_exec");
const patterns = rulesOf("megatron/core/models/hybrid/hybrid_layer_allocation.py: select_pipeline_segment");

export const silent: readonly Step[] = [
  attention.ban("context-local", {
    about: ["transformer_impl", "context_parallel_size"],
    when: (a) => a.context_parallel_size > 1 && a.transformer_impl === "local",
    says: "the local transformer has no context parallelism",
    why: "Only Transformer Engine's attention passes keys and values between context-parallel ranks. The local one stops when the model is built, with every GPU already allocated.",
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
        return `${heads} Mamba heads of a rank cannot be divided evenly among ${ranks} context-parallel ranks`;
      return groups % ranks === 0 || ranks % groups === 0
        ? null
        : `neither of ${groups} Mamba groups per rank and ${ranks} context-parallel ranks is a multiple of the other`;
    },
    why: "With context parallelism each rank of a Mamba layer gets some of the heads, with whole groups or copies of them. If the heads do not divide evenly, a rank has no share.",
    fix: "Choose --context-parallel-size so that it divides the Mamba heads of a tensor-parallel rank, and their groups or a multiple of them.",
    base: "hybrid",
    fires: "--context-parallel-size 8 --mamba-num-heads 12 --mamba-head-dim 128 --mamba-num-groups 4",
    silent: "--context-parallel-size 4 --mamba-num-heads 12 --mamba-head-dim 128 --mamba-num-groups 4",
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
    why: "The decay is counted from the first sample, warm-up included. With a shorter decay the end of the run trains at the lowest rate.",
    fix: "Leave --lr-decay-iters (or --lr-decay-samples) out: the rate then falls until the end of the run.",
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
      return `${count} micro-batches in ${stages} pipeline stages: the stages idle ${idle} % of the time`;
    },
    why: "A pipeline of p stages with m micro-batches idles (p - 1) / (m + p - 1) of the time. With fewer micro-batches than stages, some stages never work at the same time as others.",
    fix: "Raise --global-batch-size to at least four micro-batches per stage, lower --micro-batch-size, or use fewer stages.",
    severity: "warning",
    fires: "--pipeline-model-parallel-size 4 --global-batch-size 4",
    silent: "--pipeline-model-parallel-size 4 --global-batch-size 16",
  }),
  loop.demand("collection-interval", {
    about: ["manual_gc_interval", "manual_gc"],
    check: (a) =>
      a.manual_gc && a.manual_gc_interval < 0 ? `--manual-gc-interval ${a.manual_gc_interval} is below 0` : null,
    why: "Python's garbage is collected every N steps, or never for 0. A negative number is not an interval.",
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
        : `a ${wrong[0]} of ${wrong[1]} on a rank is not a multiple of ${unit} as FP8 needs`;
    },
    why: "FP8 matrix units work on multiples of 16, MXFP8 on blocks of 32. Transformer Engine refuses others in the first forward pass.",
    fix: "Make the width in the message a multiple of 16 on each rank (32 for mxfp8), or use fewer tensor-parallel ranks.",
    severity: "warning",
    fires: "--fp8-format hybrid --ffn-hidden-size 1000",
    silent: "--fp8-format hybrid --ffn-hidden-size 1024",
  }),
  patterns.ban("hybrid-layerless", {
    about: ["hybrid_layer_pattern", "num_layers"],
    when: (a, { entry }) => entry === "hybrid" && a.hybrid_layer_pattern === null && !a.use_checkpoint_args,
    says: "a hybrid model without --hybrid-layer-pattern has no layers",
    why: "From core 0.17 on the layers of a hybrid model are the letters of its pattern, and --num-layers makes none. Without a pattern the embedding and the output layer are trained alone.",
    fix: "Add --hybrid-layer-pattern with a letter for each layer (M Mamba, * attention, - MLP, E experts), or start pretrain_gpt.py for a model of attention alone.",
    severity: "warning",
    base: "patternless",
    fires: "",
    silent: "--hybrid-layer-pattern M-M*M-M-M-M-",
  }),
];
