/** Degrees of parallelism of torchtitan, on its command line and in its file. */
import type { Launch } from "../../launch.ts";
import type { Settings } from "../../settings.ts";
import { titanRuns } from "../../torchtitan-settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const titan = (shard: number): string =>
  `torchrun --nproc-per-node=8 -m torchtitan.train --parallelism.data_parallel_shard_degree ${shard} --parallelism.tensor_parallel_degree 2\n`;

const tokens = (step: number): string =>
  `${titan(4).trimEnd()} --training.num_tokens_per_microbatch_per_dp_rank 8192 --training.num_tokens_per_train_step ${step}\n`;

export const torchtitanRules: readonly ForeignRule[] = [
  rule({
    name: "torchtitan-world",
    source: "torchtitan/distributed/parallel_dims.py: ParallelDims._validate",
    why: "Replicas x shards x context x tensor x pipeline ranks must be all ranks; the shard degree may be -1, which takes the ranks that are left.",
    fix: "Choose degrees whose product is the number of ranks, or write data_parallel_shard_degree = -1, which takes the ranks that are left.",
    check: (launch) => titanRuns(launch).flatMap(({ settings }) => titanWorld(settings, launch)),
    fires: { "run.sh": titan(2) },
    silent: { "run.sh": titan(4) },
  }),
  rule({
    name: "torchtitan-experts",
    source: "torchtitan/distributed/parallel_dims.py: ParallelDims._validate",
    why: "Expert-parallel ranks are taken from the shard, context and tensor ranks, and must divide their product.",
    fix: "Set expert_parallel_degree to a divisor of shard x context x tensor ranks.",
    check: (launch) =>
      titanRuns(launch).flatMap(({ settings: options }): readonly Found[] => {
        const degree = (name: string): number => Number(options.get(`parallelism.${name}_degree`)?.value ?? 1);
        const told = options.get("parallelism.expert_parallel_degree");
        const experts = degree("expert_parallel");
        const shard = degree("data_parallel_shard");
        const world = launch.world.size;
        const rest = degree("context_parallel") * degree("tensor_parallel");
        const others = degree("data_parallel_replicate") * degree("pipeline_parallel");
        const divided = shard === -1 ? (world === null ? null : world / others) : shard * rest;
        if (told === undefined || divided === null || !(experts > 1) || divided % experts === 0) return [];
        return [
          {
            span: told.span,
            message: `${experts} expert-parallel ranks do not divide shard x context x tensor = ${divided}`,
          },
        ];
      }),
    fires: { "run.sh": `${titan(4).trimEnd()} --parallelism.expert_parallel_degree 3\n` },
    silent: { "run.sh": `${titan(4).trimEnd()} --parallelism.expert_parallel_degree 4\n` },
  }),
  rule({
    name: "torchtitan-tokens",
    source: "torchtitan/trainer.py: Trainer.__init__ (num_tokens_per_train_step, seq_len_divisor)",
    why: "A step is a whole number of rounds of all ranks, and a micro-batch is divided among the ranks that share a sequence, twice for context parallelism. Otherwise the trainer stops once its process groups exist.",
    fix: "Set training.num_tokens_per_train_step to a multiple of tokens per micro-batch x pipeline micro-batches x data-parallel ranks, and the micro-batch to a multiple of the number in the message.",
    check: (launch) => titanRuns(launch).flatMap(({ settings }) => titanTokens(settings, launch)),
    fires: { "run.sh": tokens(100_000) },
    silent: { "run.sh": tokens(131_072) },
  }),
  rule({
    name: "torchtitan-pipeline",
    source: "torchtitan/trainer.py: Trainer.Config._validate_cuda_graphs, __post_init__",
    why: "CUDA graphs and placement checks do not support pipelines yet: the configuration is refused when it is read.",
    fix: "Add --training.disable_cuda_graphs and remove --debug.spmd_typechecking, or set pipeline_parallel_degree to 1.",
    check: (launch) =>
      titanRuns(launch).flatMap(({ settings: options }): readonly Found[] => {
        if (!(Number(options.get("parallelism.pipeline_parallel_degree")?.value ?? 1) > 1)) return [];
        const on = (name: string): boolean => {
          const told = options.get(name);
          return told !== undefined && told.known && !["false", "False"].includes(String(told.value));
        };
        const graphs = options.get("training.disable_cuda_graphs") ?? options.get("training.no_disable_cuda_graphs");
        const checks = options.get("debug.spmd_typechecking");
        const found: Found[] = [];
        if (graphs !== undefined && graphs.known && !on("training.disable_cuda_graphs"))
          found.push({ span: graphs.nameSpan, message: "CUDA graphs cannot be combined with pipeline stages" });
        if (checks !== undefined && on("debug.spmd_typechecking"))
          found.push({ span: checks.nameSpan, message: "spmd_typechecking cannot be combined with pipeline stages" });
        return found;
      }),
    fires: {
      "run.sh": `${titan(2).trimEnd()} --parallelism.pipeline_parallel_degree 2 --debug.spmd_typechecking true\n`,
    },
    silent: {
      "run.sh": `${titan(2).trimEnd()} --parallelism.pipeline_parallel_degree 2 --debug.spmd_typechecking false\n`,
    },
  }),
];

const divisors = (sizes: readonly number[]): number => sizes.reduce((all, each) => all * each, 1);

function titanTokens(options: Settings, { world }: Launch): readonly Found[] {
  const number = (name: string, otherwise: number): number => Number(options.get(name)?.value ?? otherwise);
  const degree = (name: string): number => number(`parallelism.${name}_degree`, 1);
  const [micro, step] = ["microbatch_per_dp_rank", "train_step"].map((name) => `training.num_tokens_per_${name}`) as [
    string,
    string,
  ];
  const sequence = options.get("parallelism.enable_sequence_parallel")?.value;
  if (typeof sequence === "boolean" || sequence === undefined) {
    const cut = degree("tensor_parallel") * (degree("context_parallel") > 1 ? 2 * degree("context_parallel") : 1);
    const told = options.get(micro);
    if (sequence !== false && told !== undefined && number(micro, 0) % cut !== 0)
      return [
        { span: told.span, message: `${number(micro, 0)} tokens per micro-batch are not a multiple of ${cut}` },
      ];
  }
  const told = options.get(step);
  const stages = degree("pipeline_parallel");
  const apart = divisors([degree("tensor_parallel"), degree("context_parallel"), stages]);
  if (told === undefined || number(step, -1) < 0 || world.size === null || world.size % apart !== 0) return [];
  const rounds = stages > 1 ? number("parallelism.num_pp_microbatches", 1) : 1;
  const each = divisors([number(micro, 16_384), rounds, world.size / apart]);
  return !Number.isInteger(each) || number(step, -1) % each === 0
    ? []
    : [
        {
          span: told.span,
          message: `${number(step, -1)} tokens per step are not a multiple of ${each} per round`,
        },
      ];
}

function titanWorld(options: Settings, { world }: Launch): readonly Found[] {
  const names = [
    "data_parallel_replicate",
    "data_parallel_shard",
    "context_parallel",
    "tensor_parallel",
    "pipeline_parallel",
  ];
  const told = names.flatMap((name) => {
    const one = options.get(`parallelism.${name}_degree`);
    return one === undefined ? [] : [{ name, span: one.span, size: Number(one.value) }];
  });
  const [first] = told;
  const shard = told.find(({ name }) => name === "data_parallel_shard");
  if (first === undefined || world.size === null || told.some(({ size }) => !Number.isInteger(size))) return [];
  const wrong = told.find(({ size, name }) => size < 1 && !(name === "data_parallel_shard" && size === -1));
  if (wrong !== undefined) return [{ span: wrong.span, message: `${wrong.name}_degree ${wrong.size} is below 1` }];
  const product = told.reduce((all, { size }) => all * Math.max(1, size), 1);
  const open = shard === undefined || shard.size === -1;
  if (open ? world.size % product === 0 : product === world.size) return [];
  return [
    {
      span: (shard ?? first).span,
      message: `the product of the degrees is ${product}, but there are ${world.size} ranks`,
      ...nearby("ranks", world.said[0]?.span),
    },
  ];
}
