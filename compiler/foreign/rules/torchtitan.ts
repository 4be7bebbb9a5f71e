/** Degrees of parallelism on the command line of torchtitan. */
import type { Launch } from "../launch.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const titan = (shard: number): string =>
  `torchrun --nproc-per-node=8 -m torchtitan.train --parallelism.data_parallel_shard_degree ${shard} --parallelism.tensor_parallel_degree 2\n`;

export const torchtitanRules: readonly ForeignRule[] = [
  rule({
    name: "torchtitan-world",
    source: "torchtitan/distributed/parallel_dims.py: ParallelDims._validate",
    why: "Replicas x shards x context x tensor x pipeline ranks are all ranks; one of the shards may be -1, which takes what is left.",
    fix: "Choose degrees whose product is the number of ranks, or write data_parallel_shard_degree = -1, which takes what is left.",
    check: (launch) => launch.runs.flatMap((run) => titanWorld(run.options, launch)),
    fires: { "run.sh": titan(2) },
    silent: { "run.sh": titan(4) },
  }),
  rule({
    name: "torchtitan-experts",
    source: "torchtitan/distributed/parallel_dims.py: ParallelDims._validate",
    why: "Expert-parallel ranks are taken from the shard, context and tensor ranks: they divide their product.",
    fix: "Set expert_parallel_degree to a divisor of shard x context x tensor ranks.",
    check: (launch) =>
      launch.runs.flatMap(({ options }): readonly Found[] => {
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
];

function titanWorld(
  options: ReadonlyMap<string, { readonly value: unknown; readonly span: Found["span"] }>,
  { world }: Launch,
): readonly Found[] {
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
      message: `the degrees make ${product} and there are ${world.size} ranks`,
      ...nearby("ranks", world.said[0]?.span),
    },
  ];
}
