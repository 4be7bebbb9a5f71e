/** What Megatron accepts and does not do, or notices only when the model is built. Its validators' own demands stand with the engine. */
import type { Launch, Run } from "../launch.ts";
import { isFork, isMegatron } from "../megatron.ts";
import { numberIn, textIn, toldIn } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const each = (check: (run: Run) => readonly Found[]) => (launch: Launch) =>
  launch.runs.filter((run) => isMegatron(run) && !isFork(run)).flatMap(check);

const run = (words: string): string =>
  `torchrun --nproc-per-node=8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --micro-batch-size 1 ${words}\n`;

export const megatronRules: readonly ForeignRule[] = [
  rule({
    name: "megatron-sequence-alone",
    severity: "warning",
    source: "megatron/training/arguments.py: validate_args; core/model_parallel_config.py: __post_init__",
    why: "Sequence parallelism divides what tensor parallelism repeats. Without tensor parallelism the training program switches it off, and the core's own configuration refuses it: leave it out.",
    check: each(({ options }) => {
      const told = options.get("sequence_parallel");
      const tensor = toldIn(options, "tensor_model_parallel_size");
      if (
        told === undefined ||
        tensor?.known === false ||
        (numberIn(options, "tensor_model_parallel_size") ?? 1) !== 1
      )
        return [];
      return [
        {
          span: told.nameSpan,
          message: "--sequence-parallel has no effect without tensor parallelism",
          ...nearby("tensor parallelism", tensor?.span),
        },
      ];
    }),
    fires: { "run.sh": run("--sequence-parallel") },
    silent: { "run.sh": run("--sequence-parallel --tensor-model-parallel-size 2") },
  }),
  rule({
    name: "megatron-context-local",
    source: "megatron/core/transformer/dot_product_attention.py: DotProductAttention.__init__",
    why: "Only the attention of Transformer Engine passes keys and values between context-parallel ranks. The local one stops when the model is built, with every GPU already held.",
    check: each(({ options }) => {
      const told = options.get("transformer_impl");
      const context = options.get("context_parallel_size");
      if (
        textIn(options, "transformer_impl") !== "local" ||
        told === undefined ||
        !((numberIn(options, "context_parallel_size") ?? 1) > 1)
      )
        return [];
      return [
        {
          span: told.span,
          message: "the local transformer has no context parallelism",
          valid: ["transformer_engine"],
          ...nearby("context parallelism", context?.nameSpan),
        },
      ];
    }),
    fires: { "run.sh": run("--context-parallel-size 2 --transformer-impl local") },
    silent: { "run.sh": run("--context-parallel-size 2 --transformer-impl transformer_engine") },
  }),
  rule({
    name: "megatron-fsdp-overlap",
    severity: "warning",
    source: "megatron/core/distributed/fsdp: sharding strategies of weights and gradients",
    why: "Strategies that divide gradients or weights gather and reduce them layer by layer, which the overlap switches turn on. Give `--overlap-grad-reduce` and, where weights are divided, `--overlap-param-gather`.",
    check: each(({ options }) => {
      const told = options.get("data_parallel_sharding_strategy");
      const strategy = String(told?.value ?? "");
      const wanted = [
        ...(strategy.startsWith("optim_grads") ? ["overlap_grad_reduce"] : []),
        ...(strategy === "optim_grads_params" ? ["overlap_param_gather"] : []),
      ].filter((name) => !options.has(name));
      if (told === undefined || wanted.length === 0) return [];
      return [
        {
          span: told.span,
          message: `${strategy} needs ${wanted.map((name) => `--${name.replaceAll("_", "-")}`).join(" and ")}`,
        },
      ];
    }),
    fires: { "run.sh": run("--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params") },
    silent: {
      "run.sh": run(
        "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params --overlap-grad-reduce --overlap-param-gather",
      ),
    },
  }),
  rule({
    name: "megatron-rampup-ignored",
    severity: "warning",
    source: "megatron/core/num_microbatches_calculator.py: step_batch_size_schedule in place of rampup_batch_size",
    why: "`--rampup-batch-size` is still parsed and no longer read: the run has its full batch from the first step. `--step-batch-size-schedule` says how the batch grows; schedules in samples count with it.",
    check: each(({ options }) => {
      const told = options.get("rampup_batch_size");
      return told === undefined
        ? []
        : [
            {
              span: told.nameSpan,
              message: "--rampup-batch-size is read by nothing: write --step-batch-size-schedule",
            },
          ];
    }),
    fires: { "run.sh": run("--rampup-batch-size 8 8 160") },
    silent: { "run.sh": run("--step-batch-size-schedule 0:8") },
  }),
  rule({
    name: "megatron-decay-early",
    severity: "warning",
    source: "megatron/core/optimizer_param_scheduler.py: OptimizerParamScheduler.get_lr",
    why: "The decay is counted from the first sample, warm-up included. A shorter decay leaves the end of the run at the lowest rate: leave it out, and it is the length of the run.",
    check: each(({ options }) =>
      ["samples", "iters"].flatMap((unit): readonly Found[] => {
        const told = options.get(`lr_decay_${unit}`);
        const [decay, length] = [numberIn(options, `lr_decay_${unit}`), numberIn(options, `train_${unit}`)];
        if (
          told === undefined ||
          decay === null ||
          length === null ||
          decay >= length ||
          /WSD/i.test(textIn(options, "lr_decay_style") ?? "")
        )
          return [];
        const warmup = numberIn(options, `lr_warmup_${unit}`);
        const why =
          warmup !== null && decay + warmup === length ? "; it counts from the start, warm-up included" : "";
        return [
          {
            span: told.span,
            message: `the decay ends at ${decay} of ${length} ${unit === "iters" ? "steps" : unit}${why}`,
            valid: [String(length)],
            ...nearby("the length of the run", options.get(`train_${unit}`)?.span),
          },
        ];
      }),
    ),
    fires: { "run.sh": run("--train-samples 1000 --lr-warmup-samples 50 --lr-decay-samples 950") },
    silent: { "run.sh": run("--train-samples 1000 --lr-warmup-samples 50 --lr-decay-samples 1000") },
  }),
  rule({
    name: "megatron-query-groups",
    severity: "warning",
    source: "megatron/training/arguments.py: core_transformer_config_from_args",
    why: "`--num-query-groups` counts only beside `--group-query-attention`; alone the model has full attention, with more weights than was meant. And the switch alone leaves one group.",
    check: each(({ options }) => {
      const [groups, on] = [options.get("num_query_groups"), options.get("group_query_attention")];
      if (groups !== undefined && on === undefined)
        return [
          { span: groups.nameSpan, message: "--num-query-groups has no effect without --group-query-attention" },
        ];
      if (on !== undefined && groups === undefined)
        return [
          {
            span: on.nameSpan,
            message: "--group-query-attention alone has one group: --num-query-groups is missing",
          },
        ];
      return [];
    }),
    fires: { "run.sh": run("--num-query-groups 4") },
    silent: { "run.sh": run("--num-query-groups 4 --group-query-attention") },
  }),
];
