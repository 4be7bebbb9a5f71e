/** What Megatron accepts and does not do, or notices only when the model is built. Its validators' own demands stand with the engine. */
import type { Launch, Run } from "../../launch.ts";
import { isFork, isMegatron } from "../../megatron.ts";
import { numberIn } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const each = (check: (run: Run) => readonly Found[]) => (launch: Launch) =>
  launch.runs.filter((run) => isMegatron(run) && !isFork(run)).flatMap(check);

const run = (words: string): string =>
  `torchrun --nproc-per-node=8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --micro-batch-size 1 ${words}\n`;

export const megatronRules: readonly ForeignRule[] = [
  rule({
    name: "megatron-fsdp-overlap",
    severity: "warning",
    source: "megatron/core/distributed/fsdp: sharding strategies of weights and gradients",
    why: "Strategies that shard gradients or weights gather and reduce them layer by layer, which the overlap switches turn on.",
    fix: "Add --overlap-grad-reduce and, if weights are sharded, --overlap-param-gather.",
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
    name: "megatron-query-groups",
    severity: "warning",
    source: "megatron/training/arguments.py: core_transformer_config_from_args",
    why: "`--group-query-attention` alone leaves a single group of keys and values for all heads, which is multi-query attention.",
    fix: "Add --num-query-groups N; 8 is usual.",
    check: each(({ options }) => {
      const [groups, on] = [options.get("num_query_groups"), options.get("group_query_attention")];
      if (on !== undefined && groups === undefined)
        return [
          {
            span: on.nameSpan,
            message: "--group-query-attention alone has one group: --num-query-groups is missing",
          },
        ];
      return [];
    }),
    fires: { "run.sh": run("--group-query-attention") },
    silent: { "run.sh": run("--num-query-groups 4 --group-query-attention") },
  }),
  rule({
    name: "megatron-cross-groups",
    source: "megatron/core/transformer/attention.py: CrossAttention.__init__; models/T5/t5_spec.py",
    why: "The decoder of a T5 model attends to its encoder, and that attention has a key and a value for each of its heads: with groups of queries the engine stops when the model is built.",
    fix: "Remove --group-query-attention, or set --num-query-groups to the number of heads.",
    check: each(({ program, options }) => {
      const [groups, on] = [options.get("num_query_groups"), options.get("group_query_attention")];
      const heads = numberIn(options, "num_attention_heads");
      const count = numberIn(options, "num_query_groups") ?? (groups === undefined ? 1 : null);
      if (!/(?:^|\/)pretrain_t5\.py$/.test(program?.text ?? "") || on === undefined || heads === null) return [];
      if (count === null || count === heads) return [];
      const message = `the cross attention of T5 takes no groups of queries: ${count} for ${heads} heads`;
      return [{ span: (groups ?? on).span, message, valid: [String(heads)], ...nearby("the groups", on.nameSpan) }];
    }),
    fires: { "run.sh": run("--group-query-attention --num-query-groups 4").replace("gpt", "t5") },
    silent: { "run.sh": run("--group-query-attention --num-query-groups 12").replace("gpt", "t5") },
  }),
];
