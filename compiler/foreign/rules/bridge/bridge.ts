/** Configurations of Megatron Bridge: what its container demands beside Megatron's own rules. */
import { documentsOf, type Launch } from "../../launch.ts";
import { at, entryOf, numberAt, scalarOf, type Entry, type Located } from "../../documents/located.ts";
import { overridden } from "../../commands/overrides.ts";
import { isWhole } from "./settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

export const each = (check: (root: Located, launch: Launch) => readonly Found[]) => (launch: Launch) =>
  documentsOf(launch, "nemo").flatMap(({ root }, _, { length }) => {
    const [run, ...others] = launch.runs;
    const isMeant = run !== undefined && others.length === 0 && length === 1;
    return check(isMeant ? overridden(root, run.options) : root, launch);
  });

/**
 * Ranks of a run: NeMo's own file says how many processes Lightning starts, whatever command starts the first. A file alone that names no nodes
 * leaves them to its command.
 */
export function ranksOf(root: Located, { world, runs }: Launch): Launch["world"] {
  const trainer = at(root, "trainer");
  const [devices, nodes] = [at(trainer, "devices"), at(trainer, "num_nodes")];
  if (nodes === undefined && (devices === undefined || runs.length === 0)) return world;
  const [perNode, count] = [numberAt(devices), nodes === undefined ? 1 : numberAt(nodes)];
  // -1 and `auto` are all devices of the node.
  if (perNode === null || perNode < 1 || count === null) return { size: null, nodes: count, perNode: null, said: [] };
  return { size: perNode * count, nodes: count, perNode, said: [] };
}

export const base = "model:\n  tensor_model_parallel_size: 2\n  context_parallel_size: 2\n  seq_length: 4096\n";

/** The training section of a whole configuration says how long the run is. */
function unsaidLength(root: Located, length: Entry | undefined): readonly Found[] {
  const section = entryOf(root, "train");
  return length !== undefined || section === undefined || !isWhole(root)
    ? []
    : [
        {
          span: section.keySpan,
          message: "the run has no length: train_iters or train_samples is missing",
        },
      ];
}

/** Settings of a schedule that count in two units, or a warm-up that is told twice. */
function mixedUnits(scheduler: Located | undefined): readonly Found[] {
  const counted = (names: readonly string[], unit: string): Entry | undefined =>
    names
      .flatMap((name) => entryOf(scheduler, `${name}_${unit}`) ?? [])
      .find(({ key, value }) => numberAt(value) !== null && (!key.includes("warmup") || numberAt(value) !== 0));
  const all = ["lr_decay", "lr_warmup", "lr_wsd_decay"];
  const [iterations, samples] = [counted(all, "iters"), counted(all, "samples")];
  if (iterations !== undefined && samples !== undefined)
    return [
      {
        span: samples.keySpan,
        message: `${samples.key} and ${iterations.key} set the same schedule in two units`,
        ...nearby("iterations", iterations.keySpan),
      },
    ];
  const share = entryOf(scheduler, "lr_warmup_fraction");
  const count = counted(["lr_warmup"], "iters") ?? counted(["lr_warmup"], "samples");
  if (share === undefined || numberAt(share.value) === null || count === undefined) return [];
  return [
    {
      span: count.keySpan,
      message: `${share.key} and ${count.key} both set the length of the warm-up`,
      ...nearby("the share", share.keySpan),
    },
  ];
}

export const bridgeRules: readonly ForeignRule[] = [
  rule({
    name: "bridge-world",
    source: "megatron/bridge/training/config.py: ConfigContainer.validate, get_data_parallel_size",
    why: "Every replica of the model takes tensor x pipeline x context ranks, and the ranks must form a whole number of replicas.",
    fix: "Choose sizes whose product divides the ranks, or start a multiple of it.",
    check: each((root, launch) => {
      const world = ranksOf(root, launch);
      const names = ["tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"];
      const product = names.reduce((all, name) => all * Math.max(1, numberAt(at(root, "model", name)) ?? 1), 1);
      const place = names.flatMap((name) => at(root, "model", name) ?? [])[0];
      if (place === undefined || world.size === null || world.size % product === 0) return [];
      return [
        {
          span: place.span,
          message: `tensor x pipeline x context = ${product} does not divide ${world.size} ranks`,
          ...nearby("ranks", world.said[0]?.span ?? at(root, "trainer", "devices")?.span),
        },
      ];
    }),
    fires: { "b.yaml": base, "run.sh": "torchrun --nproc-per-node=6 run.py b.yaml\n" },
    silent: { "b.yaml": base, "run.sh": "torchrun --nproc-per-node=8 run.py b.yaml\n" },
  }),
  rule({
    name: "bridge-sequence",
    source: "megatron/bridge/training/config.py: ConfigContainer.validate",
    why: "A sequence is split into two parts for each context-parallel rank, and the model's sequence length must equal that of the data.",
    fix: "Set the model's seq_length to that of the data, and to a multiple of 2 x context_parallel_size.",
    check: each((root) => {
      const [length, data, ranks] = [
        at(root, "model", "seq_length"),
        at(root, "dataset", "seq_length") ?? at(root, "dataset", "sequence_length"),
        numberAt(at(root, "model", "context_parallel_size")) ?? 1,
      ];
      const [own, other] = [numberAt(length), numberAt(data)];
      if (length === undefined || own === null) return [];
      const found: Found[] = [];
      if (ranks > 1 && own % (2 * ranks) !== 0)
        found.push({
          span: length.span,
          message: `a sequence of ${own} is not a multiple of 2 x ${ranks} context-parallel ranks`,
          valid: [String(Math.ceil(own / (2 * ranks)) * 2 * ranks)],
        });
      if (other !== null && data !== undefined && other !== own)
        found.push({
          span: data.span,
          message: `the data has sequences of ${other} tokens, but the model of ${own}`,
          valid: [String(own)],
          ...nearby("the model", length.span),
        });
      return found;
    }),
    fires: { "b.yaml": `${base}dataset:\n  seq_length: 2048\n` },
    silent: { "b.yaml": `${base}dataset:\n  seq_length: 4096\n` },
  }),
  rule({
    name: "bridge-length",
    source: "megatron/bridge/training/config.py: TrainingConfig.finalize, SchedulerConfig.finalize",
    why: "Only one of `train_iters`, `train_samples` and `num_epochs` sets the length of a run, and its schedule counts in the same unit. A warm-up is either a share of the schedule or a count.",
    fix: "Keep one of train_iters, train_samples and num_epochs, count the schedule in the same unit, and keep one of lr_warmup_fraction, lr_warmup_iters and lr_warmup_samples.",
    check: each((root) => {
      const told = ["train_iters", "train_samples", "num_epochs"].flatMap(
        (name) => entryOf(at(root, "train"), name) ?? [],
      );
      const set = told.filter(({ value }) => scalarOf(value) !== null);
      const [first, second] = set;
      if (first !== undefined && second !== undefined)
        return [
          {
            span: second.keySpan,
            message: `${first.key} and ${second.key} both set the length of the run`,
            ...nearby("the first", first.keySpan),
          },
        ];
      const samples = first?.key === "train_samples";
      const scheduler = at(root, "scheduler");
      const wrong = ["lr_decay", "lr_warmup", "lr_wsd_decay"]
        .flatMap((name) => entryOf(scheduler, `${name}_${samples ? "iters" : "samples"}`) ?? [])
        .find(({ value }) => (numberAt(value) ?? 0) > 0);
      return first === undefined || wrong === undefined
        ? [...unsaidLength(root, first), ...mixedUnits(scheduler)]
        : [
            {
              span: wrong.keySpan,
              message: `${wrong.key} counts in another unit than ${first.key}`,
              ...nearby("the run", first.keySpan),
            },
          ];
    }),
    fires: { "b.yaml": `${base}train:\n  train_iters: 100\n  train_samples: 1000\n` },
    silent: { "b.yaml": `${base}train:\n  train_iters: 100\n` },
  }),
];
