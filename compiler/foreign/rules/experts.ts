/** Mixtures and tied weights in engines and forks that treat them apart. */
import { documentsOf } from "../launch.ts";
import { at, entryOf, scalarOf } from "../documents/located.ts";
import { packagesOf } from "../known/packages.ts";
import { given, saidIn } from "../said.ts";
import { numberIn, switchIn, toldIn } from "../settings.ts";
import { isMegatron } from "../megatron.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { zeroStages } from "./zero.ts";

const neox = (pipe: number, more: string): string =>
  `pipe-parallel-size: ${pipe}\nmodel-parallel-size: 1\ntrain_micro_batch_size_per_gpu: 4\ncheckpoint-factor: 100\nzero_optimization:\n  stage: 3\n${more}`;

const experts = (ranks: number): string =>
  `deepspeed --num_gpus 4 train.py --deepspeed_config ds.json --moe --ep-world-size ${ranks} --num-experts 8\n`;

export const expertRules: readonly ForeignRule[] = [
  rule({
    name: "moe-expert-ranks",
    source:
      "deepspeed/utils/groups.py: _create_expert_and_data_parallel (_ensure_divisibility); deepspeed/moe/layer.py: MoE.__init__",
    why: "DeepSpeed divides the ranks into expert-parallel groups, and the experts among the ranks of a group. Both must divide evenly.",
    fix: "Choose a group size that divides both the ranks and the experts.",
    check: ({ runs, world }) =>
      runs
        .filter(
          (run) => (run.launcher.kind === "deepspeed" || run.options.has("deepspeed_config")) && !isMegatron(run),
        )
        .flatMap(({ options }): readonly Found[] => {
          const told = toldIn(options, "ep_world_size", "ep_size", "expert_parallel_size", "moe_ep_size");
          const [ranks, count] = [Number(told?.value), numberIn(options, "num_experts", "moe_num_experts")];
          if (told?.known !== true || !Number.isInteger(ranks) || ranks < 1) return [];
          if (world.size !== null && world.size % ranks !== 0)
            return [
              {
                span: told.span,
                message: `${world.size} ranks cannot be divided evenly into groups of ${ranks}`,
                ...nearby("ranks", world.said[0]?.span),
              },
            ];
          if (count === null || count % ranks === 0) return [];
          return [
            {
              span: told.span,
              message: `${count} experts cannot be divided evenly among ${ranks} ranks`,
              ...nearby("experts", toldIn(options, "num_experts", "moe_num_experts")?.span),
            },
          ];
        }),
    fires: { "run.sh": experts(8), "ds.json": '{ "train_micro_batch_size_per_gpu": 1 }' },
    silent: { "run.sh": experts(4), "ds.json": '{ "train_micro_batch_size_per_gpu": 1 }' },
  }),
  rule({
    name: "megablocks-distributed-optimizer",
    source: "databricks/megablocks issue 160: the fork of Megatron-LM that exp/ uses",
    why: "This fork's distributed optimizer treats the weights of experts as if every rank had the same ones: after a step the experts of all ranks are identical, without any error.",
    fix: "Remove --use-distributed-optimizer, or train with Megatron-LM's own experts: --expert-model-parallel-size.",
    check: ({ runs }) =>
      runs.flatMap(({ options }): readonly Found[] => {
        const [experts, optimizer] = [
          toldIn(options, "moe_expert_model_parallelism"),
          toldIn(options, "use_distributed_optimizer"),
        ];
        if (experts === undefined || optimizer === undefined || experts.value === "false") return [];
        return [
          {
            span: optimizer.nameSpan,
            message: "the distributed optimizer of this fork overwrites the experts of other ranks",
            ...nearby("expert parallelism", experts.nameSpan),
          },
        ];
      }),
    fires: {
      "run.sh":
        "torchrun --nproc-per-node=2 pretrain_gpt.py --moe-num-experts=64 --moe-expert-model-parallelism --use-distributed-optimizer\n",
    },
    silent: {
      "run.sh": "torchrun --nproc-per-node=2 pretrain_gpt.py --moe-num-experts=64 --moe-expert-model-parallelism\n",
    },
  }),
  rule({
    name: "moe-parameter-groups",
    severity: "info",
    source:
      "deepspeed/runtime/zero/stage_1_and_2.py: _configure_moe_settings; runtime/engine.py: _configure_optimizer",
    why: "ZeRO needs the parameters of experts in parameter groups of their own, marked `moe`. An optimizer that the JSON names gets them; one that the program creates does not, unless it calls `split_params_into_different_moe_groups_for_optimizer`, and DeepSpeed stops: `None of the param groups are marked as MoE`. Files do not show what the program does.",
    fix: "Call split_params_into_different_moe_groups_for_optimizer on the program's parameter groups, or name the optimizer in the JSON.",
    check: (launch) => {
      const said = saidIn(launch);
      const on = ["moe_enable", "moe", "use_moe"].find((name) => switchIn(said, name) === true);
      const told = on === undefined ? given(said, "num_experts", "ep_size", "moe_num_experts") : toldIn(said, on);
      const count = Number(told?.value);
      const stage = zeroStages(launch).find((each) => each.stage === 1 || each.stage === 2);
      if (told === undefined || (on === undefined && !(count > 1)) || stage === undefined) return [];
      return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        if (at(root, "optimizer", "type") !== undefined || at(root, "expert_parallel") !== undefined) return [];
        return [
          {
            span: told.span,
            message:
              "whether the program's optimizer has parameter groups for its experts is unknown: ZeRO refuses one without",
            valid: ["an `optimizer` in the JSON"],
            ...nearby(`ZeRO stage ${stage.stage}`, stage.span),
          },
        ];
      });
    },
    fires: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 2 } }',
      "run.sh": "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json --moe_enable True --num_experts 4\n",
    },
    silent: {
      "ds.json":
        '{ "train_micro_batch_size_per_gpu": 1, "optimizer": { "type": "AdamW" }, "zero_optimization": { "stage": 2 } }',
      "run.sh": "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json --moe_enable True --num_experts 4\n",
    },
  }),
  rule({
    name: "neox-tied-zero3",
    severity: "warning",
    source: "DeepSpeed issue 846; megatron/neox_arguments: pipe_parallel_size 0 uses the model as one module",
    why: "With stage 3 and no pipeline (`pipe-parallel-size: 0`) some versions of DeepSpeed shard an embedding that is used at both ends of the model twice, and the loss is wrong.",
    fix: "Add no-weight-tying: true, or pin a version of DeepSpeed that you have tested.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const pipe = entryOf(root, "pipe-parallel-size") ?? entryOf(root, "pipe_parallel_size");
        const untied = entryOf(root, "no-weight-tying") ?? entryOf(root, "no_weight_tying");
        const stage = at(root, "zero_optimization", "stage");
        if (pipe === undefined || scalarOf(pipe.value) !== 0 || scalarOf(stage) !== 3) return [];
        if (untied !== undefined && scalarOf(untied.value) === true) return [];
        const pinned = packagesOf(launch).get("deepspeed")?.version;
        return [
          {
            span: untied?.value.span ?? pipe.value.span,
            message: `tied embeddings under stage 3 without a pipeline depend on the version of DeepSpeed${pinned == null ? ", which is unknown" : `: ${pinned}`}`,
            ...nearby("stage 3", stage?.span),
          },
        ];
      }),
    fires: { "neox.yaml": neox(0, "no-weight-tying: false\n") },
    silent: { "neox.yaml": neox(0, "no-weight-tying: true\n") },
  }),
];
