/** Configurations of Megatron Bridge: what its container demands beside Megatron's own rules. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, entryOf, numberAt, scalarOf, type Located } from "../located.ts";
import { overridden } from "../overrides.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

export const each = (check: (root: Located, launch: Launch) => readonly Found[]) => (launch: Launch) =>
  documentsOf(launch, "nemo").flatMap(({ root }, _, { length }) => {
    const [run, ...others] = launch.runs;
    const isMeant = run !== undefined && others.length === 0 && length === 1;
    return check(isMeant ? overridden(root, run.options) : root, launch);
  });

/** Ranks of a run: NeMo's own file says how many processes Lightning starts, whatever command starts the first. */
export function ranksOf(root: Located, { world }: Launch): Launch["world"] {
  const trainer = at(root, "trainer");
  const [devices, nodes] = [at(trainer, "devices"), at(trainer, "num_nodes")];
  if (devices === undefined && nodes === undefined) return world;
  const [perNode, count] = [numberAt(devices), nodes === undefined ? 1 : numberAt(nodes)];
  // -1 and `auto` are all devices of the node.
  if (perNode === null || perNode < 1 || count === null) return { size: null, nodes: count, perNode: null, said: [] };
  return { size: perNode * count, nodes: count, perNode, said: [] };
}

export const base = "model:\n  tensor_model_parallel_size: 2\n  context_parallel_size: 2\n  seq_length: 4096\n";

export const bridgeRules: readonly ForeignRule[] = [
  rule({
    name: "bridge-world",
    source: "megatron/bridge/training/config.py: ConfigContainer.validate, get_data_parallel_size",
    why: "Every replica of the model takes tensor x pipeline x context ranks, and the world holds a whole number of replicas.",
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
    why: "A sequence divides into two parts for each context-parallel rank, and the model's length is that of the data.",
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
          message: `a sequence of ${own} is no multiple of 2 x ${ranks} context-parallel ranks`,
          valid: [String(Math.ceil(own / (2 * ranks)) * 2 * ranks)],
        });
      if (other !== null && data !== undefined && other !== own)
        found.push({
          span: data.span,
          message: `the data has sequences of ${other} and the model of ${own}`,
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
    why: "A run is as long as one of `train_iters`, `train_samples` and `num_epochs` says, and its schedule counts in the same unit.",
    fix: "Keep one of train_iters, train_samples and num_epochs, and count the schedule in the same unit.",
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
            message: `${first.key} and ${second.key} both say how long the run is`,
            ...nearby("the first", first.keySpan),
          },
        ];
      const samples = first?.key === "train_samples";
      const scheduler = at(root, "scheduler");
      const wrong = ["lr_decay", "lr_warmup", "lr_wsd_decay"]
        .flatMap((name) => entryOf(scheduler, `${name}_${samples ? "iters" : "samples"}`) ?? [])
        .find(({ value }) => (numberAt(value) ?? 0) > 0);
      return first === undefined || wrong === undefined
        ? []
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
  rule({
    name: "bridge-packing",
    source: "megatron/bridge/training/config.py: FinetuningDatasetConfig, ConfigContainer.validate",
    why: "Packed sequences fill a micro-batch of their own: `micro_batch_size` is 1. Fine-tuning data with context parallelism counts the loss by token, and does not average in the collective.",
    fix: "Set micro_batch_size to 1 with packed sequences; with context parallelism set calculate_per_token_loss to true and average_in_collective to false.",
    check: each((root) => {
      const packed = numberAt(at(root, "dataset", "packed_sequence_specs", "packed_sequence_size"));
      const micro = at(root, "train", "micro_batch_size");
      const found: Found[] = [];
      if (packed !== null && packed > 0 && micro !== undefined && (numberAt(micro) ?? 1) > 1)
        found.push({
          span: micro.span,
          message: `packed sequences go with micro_batch_size 1, not ${numberAt(micro)}`,
          valid: ["1"],
        });
      const ranks = numberAt(at(root, "model", "context_parallel_size")) ?? 1;
      const loss = at(root, "model", "calculate_per_token_loss");
      const average = at(root, "ddp", "average_in_collective");
      if (ranks > 1 && packed !== null && loss !== undefined && scalarOf(loss) === false)
        found.push({
          span: loss.span,
          message: "fine-tuning with context parallelism needs calculate_per_token_loss",
          valid: ["true"],
        });
      if (ranks > 1 && packed !== null && average !== undefined && scalarOf(average) === true)
        found.push({
          span: average.span,
          message: "fine-tuning with context parallelism needs average_in_collective false",
          valid: ["false"],
        });
      return found;
    }),
    fires: {
      "b.yaml": `${base}train:\n  micro_batch_size: 2\ndataset:\n  packed_sequence_specs:\n    packed_sequence_size: 4096\n    pad_seq_to_mult: 4\n`,
    },
    silent: {
      "b.yaml": `${base}train:\n  micro_batch_size: 1\ndataset:\n  packed_sequence_specs:\n    packed_sequence_size: 4096\n    pad_seq_to_mult: 4\n`,
    },
  }),
  rule({
    name: "bridge-checkpoint",
    source: "megatron/bridge/training/config.py: CheckpointConfig.finalize, ConfigContainer.validate",
    why: "Asynchronous saving needs a path, the persistent worker and `torch_dist` or `fsdp_dtensor`; `fsdp_dtensor` belongs to Megatron-FSDP, and adapters to a pretrained checkpoint. `ckpt_step` chooses among the checkpoints under `load`.",
    fix: "Write ckpt_format torch_dist with a save path for async_save; a pretrained_checkpoint for adapters; use_megatron_fsdp for fsdp_dtensor.",
    check: each((root) => {
      const section = at(root, "checkpoint");
      const [async_, format, step] = [
        at(section, "async_save"),
        scalarOf(at(section, "ckpt_format")) ?? "torch_dist",
        entryOf(section, "ckpt_step"),
      ];
      const found: Found[] = [];
      if (async_ !== undefined && scalarOf(async_) === true) {
        if (at(section, "save") === undefined) found.push({ span: async_.span, message: "async_save needs save" });
        if (!["torch_dist", "fsdp_dtensor"].includes(String(format)))
          found.push({ span: async_.span, message: `async_save cannot write ${String(format)}` });
        if (scalarOf(at(section, "use_persistent_ckpt_worker")) === false)
          found.push({ span: async_.span, message: "async_save needs use_persistent_ckpt_worker" });
      }
      const place = at(section, "ckpt_format");
      if (place !== undefined && format === "fsdp_dtensor" && scalarOf(at(root, "ddp", "use_megatron_fsdp")) !== true)
        found.push({
          span: place.span,
          message: "fsdp_dtensor is the format of Megatron-FSDP, which is off",
          valid: ["torch_dist"],
        });
      if (step !== undefined && scalarOf(step.value) !== null && at(section, "load") === undefined)
        found.push({
          span: step.keySpan,
          message: "ckpt_step needs load",
          fix: "Add checkpoint.load, the folder of the checkpoints, or take ckpt_step out.",
        });
      const adapters = entryOf(root, "peft");
      if (
        adapters !== undefined &&
        adapters.value.kind === "map" &&
        at(section, "pretrained_checkpoint") === undefined
      )
        found.push({ span: adapters.keySpan, message: "adapters need checkpoint.pretrained_checkpoint" });
      return found;
    }),
    fires: { "b.yaml": `${base}checkpoint:\n  async_save: true\n  save: out\n  ckpt_format: torch\n` },
    silent: { "b.yaml": `${base}checkpoint:\n  async_save: true\n  save: out\n  ckpt_format: torch_dist\n` },
  }),
];
