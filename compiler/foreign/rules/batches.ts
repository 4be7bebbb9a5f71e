/** Batches and ranks of trainers that are neither Megatron nor transformers. */
import { documentsOf } from "../launch.ts";
import { at, numberAt } from "../documents/located.ts";
import { toldIn, type Settings, type Told } from "../settings.ts";
import { endingIn } from "../said.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const openrlhf = (gpus: number): string =>
  `deepspeed --num_gpus ${gpus} --module openrlhf.cli.train_sft --train_batch_size 256 --micro_train_batch_size 2 --pretrain m\n`;

export const batchRules: readonly ForeignRule[] = [
  rule({
    name: "batch-world",
    source:
      "composer/trainer: global_train_batch_size; verl/workers: real_train_batch_size; nanotron/config: parallelism",
    why: "Every data-parallel rank takes the same number of whole micro-batches: the global batch is a multiple of ranks x micro-batch.",
    fix: "Set the global batch to a multiple of ranks x micro-batch.",
    check: (launch) => {
      const composer = documentsOf(launch, "composer").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "global_train_batch_size");
        const [total, world] = [numberAt(node), launch.world.size];
        if (node === undefined || total === null || world === null || total % world === 0) return [];
        return [
          {
            span: node.span,
            message: `${total} samples cannot be divided evenly among ${world} ranks`,
            valid: [String(Math.floor(total / world) * world), String(Math.ceil(total / world) * world)],
            ...nearby("ranks", launch.world.said[0]?.span),
          },
        ];
      });
      return [...composer, ...launch.runs.flatMap(({ options }) => ofPrograms(options, launch.world.size))];
    },
    fires: {
      "mpt.yaml": "global_train_batch_size: 100\ndevice_train_microbatch_size: 4\nmax_duration: 1ep\n",
      "run.sh": "torchrun --nproc-per-node=8 train.py mpt.yaml\n",
    },
    silent: {
      "mpt.yaml": "global_train_batch_size: 96\ndevice_train_microbatch_size: 4\nmax_duration: 1ep\n",
      "run.sh": "torchrun --nproc-per-node=8 train.py mpt.yaml\n",
    },
  }),
  rule({
    name: "openrlhf-batch",
    source:
      "openrlhf/utils/deepspeed/deepspeed.py: DeepspeedStrategy.setup_distributed; deepspeed/runtime/config.py: _batch_assertion",
    why: "OpenRLHF computes its accumulation by integer division and also passes the batch to DeepSpeed: if the batch is not a multiple of ranks x micro-batch, the product of the three differs from it, and DeepSpeed stops.",
    fix: "Set the training batch to a multiple of ranks x micro-batch.",
    check: ({ runs, world }) =>
      runs
        .filter(({ program }) =>
          /(?:^|[./])openrlhf[./]cli[./]train_(?!ppo_ray)\w+$/.test(program?.text?.replace(/\.py$/, "") ?? ""),
        )
        .flatMap(({ options }) => ofOpenRlhf(options, world.size)),
    fires: { "run.sh": openrlhf(7) },
    silent: { "run.sh": openrlhf(8) },
  }),
  rule({
    name: "parallelism-product",
    source:
      "nanotron/parallel/context.py: ParallelContext; torchtitan/distributed/parallel_dims.py: ParallelDims._validate",
    why: "The product of the degrees of parallelism must be the number of ranks; otherwise no process grid can be created.",
    fix: "Choose degrees whose product is the number of ranks, or start that many ranks.",
    check: (launch) =>
      documentsOf(launch, "nanotron").flatMap(({ root }) => {
        const section = at(root, "parallelism");
        const sizes = ["dp", "pp", "tp", "cp"].map((key) => numberAt(at(section, key)) ?? 1);
        const product = sizes.reduce((all, size) => all * size, 1);
        if (section === undefined || launch.world.size === null || product === launch.world.size) return [];
        return [
          {
            span: at(section, "dp")?.span ?? section.span,
            message: `dp x pp x tp x cp = ${product}, but there are ${launch.world.size} ranks`,
            ...nearby("ranks", launch.world.said[0]?.span),
          },
        ];
      }),
    fires: {
      "nano.yaml": "general:\n  run: a\nparallelism:\n  dp: 2\n  pp: 1\n  tp: 2\n",
      "run.sh": "torchrun --nproc-per-node=8 run_train.py --config-file nano.yaml\n",
    },
    silent: {
      "nano.yaml": "general:\n  run: a\nparallelism:\n  dp: 4\n  pp: 1\n  tp: 2\n",
      "run.sh": "torchrun --nproc-per-node=8 run_train.py --config-file nano.yaml\n",
    },
  }),
];

/** Batches that programs take on their command line, in hydra's words too. */
function ofPrograms(options: Settings, ranks: number | null): readonly Found[] {
  const ends = (name: string): Told | undefined => endingIn(options, name);
  const total = ends("train_batch_size") ?? ends("global_train_batch_size");
  const micro = ends("ppo_micro_batch_size_per_gpu") ?? ends("micro_batch_size_per_gpu");
  const size = Number(total?.value);
  // Micro-batches that are filled by tokens have no size of their own.
  const dynamic = ends("use_dynamic_bsz");
  if (dynamic !== undefined && !/^false$/i.test(String(dynamic.value))) return [];
  // What Ray starts is said to the trainer, and not to the launcher; how verl divides it depends on the backend.
  const world = options.has("trainer.n_gpus_per_node") ? null : ranks;
  if (total === undefined || micro === undefined || !total.known || world === null || !Number.isInteger(size))
    return [];
  // Replicas that answer are cut in a way of their own.
  const degrees = [...options].filter(([name]) => divides.test(name) && !/rollout|infer|ref\./.test(name));
  if (degrees.some(([, { known }]) => !known)) return [];
  const model = new Map(degrees.map(([name, { value }]) => [name.split(".").at(-1), Number(value) || 1]));
  const cut = [...model.values()].reduce((all, degree) => all * degree, 1);
  const unit = (world / cut) * Number(micro.value);
  if (!Number.isInteger(unit) || unit <= 0 || size % unit === 0) return [];
  return [
    {
      span: total.span,
      message: `${size} samples are not a multiple of ${world / cut} data-parallel ranks x micro-batch ${String(micro.value)} = ${unit}`,
      valid: [String(Math.floor(size / unit) * unit), String(Math.ceil(size / unit) * unit)].filter(
        (each) => each !== "0",
      ),
      ...nearby("the micro-batch", micro.span),
    },
  ];
}

/** Degrees that several ranks share a sample by. */
const divides =
  /(?:^|\.)(?:(?:tensor|pipeline)_model_parallel_size|context_parallel_size|ulysses_sequence_parallel_size|tp|pp|cp|sp)$/;

/** The batch of a step against ranks and micro-batch, by the names of before and since release 0.10. */
function ofOpenRlhf(options: Settings, world: number | null): readonly Found[] {
  const total = toldIn(options, "train_batch_size", "train.batch_size");
  const micro = toldIn(options, "micro_train_batch_size", "train.micro_batch_size");
  const degree = (...names: readonly string[]): number => Number(toldIn(options, ...names)?.value ?? 1) || 1;
  const split =
    degree("ring_attn_size", "ds.ring_attn_size") * degree("ds_tensor_parallel_size", "ds.tensor_parallel_size");
  if (total?.known !== true || micro?.known !== true || world === null) return [];
  const [size, unit] = [Number(total.value), (Number(micro.value) * world) / split];
  if (!Number.isInteger(size) || !Number.isInteger(unit) || unit <= 0 || size % unit === 0) return [];
  return [
    {
      span: total.span,
      message: `${size} samples are not a multiple of ${world / split} ranks x micro-batch ${String(micro.value)} = ${unit}`,
      valid: [Math.floor(size / unit) * unit, Math.ceil(size / unit) * unit].filter((each) => each > 0).map(String),
      ...nearby("the micro-batch", micro.span),
    },
  ];
}
