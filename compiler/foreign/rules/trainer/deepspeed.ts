/** The Trainer, or accelerate, and a DeepSpeed JSON against each other. */
import { autos, filled } from "../../trainer/autos.ts";
import { fills } from "../../trainer/fills.ts";
import { documentsOf, type Launch } from "../../launch.ts";
import { at, entryOf, scalarOf, type Located } from "../../documents/located.ts";
import { initializesDeepSpeed } from "../../programs.ts";
import { given } from "../../said.ts";
import { numberIn, switchIn, textIn, toldIn, type Settings, type Told } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { yaml, withTrainer } from "./trainer.ts";

/** Settings that say the same in a DeepSpeed JSON, with what the Trainer has where nobody says. */
const shared: readonly {
  readonly path: readonly string[];
  readonly names: readonly string[];
  readonly otherwise: number | boolean;
}[] = [
  { path: ["train_micro_batch_size_per_gpu"], names: ["per_device_train_batch_size"], otherwise: 8 },
  { path: ["gradient_accumulation_steps"], names: ["gradient_accumulation_steps"], otherwise: 1 },
  { path: ["gradient_clipping"], names: ["max_grad_norm"], otherwise: 1 },
  { path: ["optimizer", "params", "lr"], names: ["learning_rate"], otherwise: 5e-5 },
  { path: ["optimizer", "params", "eps"], names: ["adam_epsilon"], otherwise: 1e-8 },
  { path: ["optimizer", "params", "weight_decay"], names: ["weight_decay"], otherwise: 0 },
  { path: ["scheduler", "params", "warmup_max_lr"], names: ["learning_rate"], otherwise: 5e-5 },
  { path: ["scheduler", "params", "warmup_num_steps"], names: ["warmup_steps"], otherwise: Number.NaN },
  { path: ["fp16", "enabled"], names: ["fp16", "fp16_full_eval"], otherwise: false },
  { path: ["bf16", "enabled"], names: ["bf16", "bf16_full_eval"], otherwise: false },
];

const matched = withTrainer((trainer, launch) => {
  const found = documentsOf(launch, "deepspeed").flatMap(({ root }) => {
    const found: Found[] = shared.flatMap(({ path, names, otherwise }) => {
      const node = at(root, ...path);
      const value = scalarOf(node);
      const told = toldIn(trainer, ...names);
      if (node === undefined || typeof value !== typeof otherwise || (told !== undefined && !told.known)) return [];
      const ours =
        typeof otherwise === "boolean"
          ? names.some((name) => switchIn(trainer, name) === true)
          : (numberIn(trainer, ...names) ?? otherwise);
      if (typeof otherwise === "boolean" && textIn(trainer, ...names) === "auto") return [];
      if (Number.isNaN(ours) || value === ours) return [];
      return [mismatch(node, path.join("."), value as number | boolean, names[0] ?? "", ours, told)];
    });
    return [...found, ...batches(root, trainer, launch)];
  });
  // A program that only reads the arguments, and makes its engine itself, compares nothing.
  return found.length > 0 && launch.runs.some((run) => initializesDeepSpeed(run, launch)) ? [] : found;
});

/** Those of them that only accelerate fills, not the Trainer. */
const byAccelerate = /16bit_weights|zero_optimization\.stage$|offload_/;

export const trainerDeepspeedRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-deepspeed-mismatch",
    source: "transformers/integrations/deepspeed.py: HfTrainerDeepSpeedConfig.fill_match, trainer_config_finalize",
    why:
      "The Trainer compares its own numbers, including its defaults, with those of the DeepSpeed JSON and stops where they differ, once the model is " +
      "loaded.",
    fix: 'Write "auto" in the DeepSpeed JSON, which uses the Trainer\'s value, or make the two numbers equal.',
    check: matched,
    fires: {
      "ds.json": '{ "gradient_accumulation_steps": 4, "zero_optimization": { "stage": 2 } }',
      "args.yaml": yaml("gradient_accumulation_steps: 2\n"),
    },
    silent: {
      "ds.json": '{ "gradient_accumulation_steps": "auto", "zero_optimization": { "stage": 2 } }',
      "args.yaml": yaml("gradient_accumulation_steps: 2\n"),
    },
  }),
  rule({
    name: "trainer-fsdp-deepspeed",
    source: "transformers/trainer.py: Trainer.__init__",
    why: "FSDP and DeepSpeed both shard the training state, and the Trainer stops if both are given.",
    fix: "Remove --fsdp, or --deepspeed and accelerate's DeepSpeed.",
    check: withTrainer((trainer, launch) => {
      const fsdp = given(trainer, "fsdp");
      const deepspeed = given(trainer, "deepspeed") ?? acceleratesDeepSpeed(launch.accelerate);
      // Of an Axolotl file a rule of its own speaks.
      if (fsdp === undefined || deepspeed === undefined || documentsOf(launch, "axolotl").length > 0) return [];
      return [
        {
          span: fsdp.nameSpan,
          message: `${fsdp.name} and ${isSwitched(deepspeed) ? deepspeed.name : `${deepspeed.name} ${String(deepspeed.value)}`} cannot be combined`,
          ...nearby("DeepSpeed", deepspeed.nameSpan),
        },
      ];
    }),
    fires: {
      "acc.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\n",
      "run.sh": "accelerate launch --config_file acc.yaml train.py --output_dir out --fsdp full_shard --bf16\n",
    },
    silent: {
      "acc.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 8\n",
      "run.sh": "accelerate launch --config_file acc.yaml train.py --output_dir out --fsdp full_shard --bf16\n",
    },
  }),
  rule({
    name: "deepspeed-auto-unfilled",
    source:
      "transformers/integrations/deepspeed.py: HfDeepSpeedConfig; accelerate/utils/dataclasses.py: DeepSpeedPlugin.fill_match",
    why:
      '`"auto"` is filled in by transformers and accelerate, for a fixed list of keys. DeepSpeed itself sees a plain string: at the top level it stops, inside ' +
      "a section it silently uses its default.",
    fix: "Write the value itself, or leave the key out to get DeepSpeed's default.",
    check: (launch) => {
      // Where nothing fills, DeepSpeed itself refuses the word or drops it: its own rules say so.
      if (fills(launch) !== true) return [];
      return documentsOf(launch, "deepspeed").flatMap(({ root }) =>
        autos(root).flatMap(({ path, node }): Found[] => {
          if (filled.has(path) && !(byAccelerate.test(path) && launch.accelerate === null)) return [];
          return [
            { span: node.span, message: `"auto" is not filled in for ${path}: write a value`, valid: [...filled] },
          ];
        }),
      );
    },
    fires: {
      "ds.json": '{ "zero_optimization": { "stage": 3, "sub_group_size": "auto" } }',
      "args.yaml": yaml(""),
    },
    silent: {
      "ds.json": '{ "zero_optimization": { "stage": 3, "reduce_bucket_size": "auto" } }',
      "args.yaml": yaml(""),
    },
  }),
  rule({
    name: "deepspeed-auto-hidden-size",
    source: "transformers/integrations/deepspeed.py: HfTrainerDeepSpeedConfig.trainer_config_finalize",
    why: "Bucket sizes set to `auto` are computed from the model's `hidden_size`.",
    fix: "Write the bucket size as a number, such as 5e8.",
    check: (launch) =>
      documentsOf(launch, "model").flatMap(({ root }) => {
        const has = (node: Located | undefined): boolean =>
          entryOf(node, "hidden_size") !== undefined || entryOf(node, "hidden_sizes") !== undefined;
        if (has(root) || has(at(root, "text_config")) || fills(launch) !== true) return [];
        return documentsOf(launch, "deepspeed").flatMap((config) =>
          autos(config.root)
            .filter(({ path }) => /reduce_bucket_size|prefetch_bucket_size|persistence_threshold/.test(path))
            .map(({ path, node }) => ({
              span: node.span,
              message: `${path} cannot be "auto": the model has no hidden_size`,
              ...nearby("the model", root.span),
            })),
        );
      }),
    fires: {
      "ds.json": '{ "zero_optimization": { "stage": 2, "reduce_bucket_size": "auto" } }',
      "args.yaml": yaml(""),
      "config.json": '{ "model_type": "x", "architectures": ["X"], "d_model": 512 }',
    },
    silent: {
      "ds.json": '{ "zero_optimization": { "stage": 2, "reduce_bucket_size": "auto" } }',
      "args.yaml": yaml(""),
      "config.json": '{ "model_type": "x", "architectures": ["X"], "hidden_size": 512 }',
    },
  }),
];

const isSwitched = ({ name }: Told): boolean => !name.endsWith("distributed_type");

/** Options that choose how accelerate starts its ranks; only where none is given, its file does (accelerate/commands/launch.py: _validate_launch_command). */
const choosing = ["multi_gpu", "tpu", "tpu_use_cluster", "use_fsdp", "use_megatron_lm"];

/** What turns DeepSpeed on in accelerate. */
function acceleratesDeepSpeed(accelerate: Settings | null): Told | undefined {
  if (accelerate === null) return undefined;
  if (switchIn(accelerate, "use_deepspeed") === true) return accelerate.get("use_deepspeed");
  if (choosing.some((name) => switchIn(accelerate, name) === true)) return undefined;
  return (textIn(accelerate, "distributed_type") ?? "").toUpperCase() === "DEEPSPEED"
    ? accelerate.get("distributed_type")
    : undefined;
}

function mismatch(
  node: Located,
  key: string,
  value: number | boolean,
  name: string,
  ours: number | boolean,
  told: Told | undefined,
): Found {
  return {
    span: node.span,
    message: `${key} is ${String(value)}, but the Trainer's ${name} ${told === undefined ? `defaults to ${String(ours)}` : `is ${String(ours)}`}`,
    valid: [String(ours), '"auto"'],
    ...nearby("the Trainer's value is given here", told?.nameSpan),
    fixes: [{ title: 'write "auto"', edits: [{ span: node.span, newText: '"auto"' }] }],
  };
}

function batches(root: Located, trainer: Settings, { world }: Launch): readonly Found[] {
  // Of a file that gives all three DeepSpeed's own rule speaks, and its parts are held against the Trainer's one by one.
  const parts = ["train_micro_batch_size_per_gpu", "gradient_accumulation_steps"];
  if (parts.every((key) => typeof scalarOf(at(root, key)) === "number")) return [];
  const node = at(root, "train_batch_size");
  const total = scalarOf(node);
  const [micro, accumulation] = [
    numberIn(trainer, "per_device_train_batch_size") ?? 8,
    numberIn(trainer, "gradient_accumulation_steps") ?? 1,
  ];
  if (node === undefined || typeof total !== "number" || world.size === null) return [];
  const open = [toldIn(trainer, "per_device_train_batch_size"), toldIn(trainer, "gradient_accumulation_steps")].some(
    (told) => told?.known === false,
  );
  const ours = micro * accumulation * world.size;
  if (open || ours === total) return [];
  return [
    {
      span: node.span,
      message: `train_batch_size is ${total}, but the Trainer makes ${micro} samples x ${accumulation} accumulation x ${world.size} rank${world.size === 1 ? "" : "s"} = ${ours}`,
      valid: [String(ours), '"auto"'],
      related: [
        ...nearby("samples of one rank", toldIn(trainer, "per_device_train_batch_size")?.nameSpan).related,
        ...world.said.map(({ span }) => ({ message: "ranks", span })),
      ],
      fixes: [{ title: 'write "auto"', edits: [{ span: node.span, newText: '"auto"' }] }],
    },
  ];
}
