/** What transformers' TrainingArguments refuse, and what they say against a DeepSpeed configuration. */
import { fills } from "../fills.ts";
import { documentsOf, type Launch } from "../launch.ts";
import { at, entryOf, scalarOf, type Located } from "../located.ts";
import { numberIn, switchIn, textIn, toldIn, type Settings, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const yaml = (text: string): string => `output_dir: out\nper_device_train_batch_size: 4\n${text}`;
const withTrainer = (check: (trainer: Settings, launch: Launch) => readonly Found[]) => (launch: Launch) =>
  launch.trainer === null ? [] : check(launch.trainer, launch);

const spanOf = (told: Told | undefined): Told["span"] | undefined => told?.span;

function strategy(trainer: Settings, ...names: readonly string[]): string | null {
  const told = toldIn(trainer, ...names);
  if (told === undefined) return names.includes("eval_strategy") ? "no" : "steps";
  // YAML 1.1 reads a bare `no` as false, and transformers takes it for the word.
  return told.known ? (told.value === false ? "no" : String(told.value).toLowerCase()) : null;
}

const evaluation = ["eval_strategy", "evaluation_strategy"] as const;
const best = withTrainer((trainer) => {
  if (switchIn(trainer, "load_best_model_at_end") !== true) return [];
  const [evaluates, saves] = [strategy(trainer, ...evaluation), strategy(trainer, "save_strategy")];
  if (evaluates === null || saves === null || saves === "best") return [];
  const place = toldIn(trainer, "load_best_model_at_end")?.span;
  const [first, second] = [toldIn(trainer, ...evaluation), toldIn(trainer, "save_strategy")];
  if (evaluates !== saves) {
    const span = spanOf(first) ?? spanOf(second) ?? place;
    if (span === undefined) return [];
    return [
      {
        span,
        message: `load_best_model_at_end needs evaluation and saving to go together: evaluation is ${evaluates}${first === undefined ? " (the default)" : ""}, saving ${saves}${second === undefined ? " (the default)" : ""}`,
        valid: [saves === "no" ? evaluates : saves],
        ...nearby("asked for here", place),
      },
    ];
  }
  const [save, evaluate] = [
    numberIn(trainer, "save_steps") ?? 500,
    numberIn(trainer, "eval_steps") ?? numberIn(trainer, "logging_steps") ?? 500,
  ];
  const told = toldIn(trainer, "save_steps") ?? toldIn(trainer, "eval_steps");
  if (
    evaluates !== "steps" ||
    told === undefined ||
    !told.known ||
    toldIn(trainer, "eval_steps")?.known === false ||
    evaluate <= 0
  )
    return [];
  if (save < 1 !== evaluate < 1)
    return [
      {
        span: told.span,
        message: `save_steps ${save} and eval_steps ${evaluate}: one is a share of the run and the other a count, so that nobody can say whether one is a multiple of the other`,
      },
    ];
  const large = evaluate < 1 ? 1_000_000 : 1;
  if (Math.round(save * large) % Math.round(evaluate * large) === 0) return inexact(save, evaluate, told);
  const near = Math.max(1, Math.round(save / evaluate)) * evaluate;
  return [
    {
      span: told.span,
      message: `save_steps ${save} is no multiple of eval_steps ${evaluate}, which load_best_model_at_end needs`,
      valid: [String(near)],
      ...nearby("evaluation", spanOf(toldIn(trainer, "eval_steps"))),
    },
  ];
});

/** Shares of a run were compared as floats up to transformers 4.31: 0.1 % 0.02 is not 0. */
function inexact(save: number, evaluate: number, told: Told): readonly Found[] {
  if (save >= 1 || save % evaluate === 0) return [];
  return [
    {
      span: told.span,
      severity: "warning",
      message: `save_steps ${save} is a multiple of eval_steps ${evaluate}, but transformers before 4.32 computes ${save} % ${evaluate} = ${save % evaluate} and refuses`,
    },
  ];
}

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

const matched = withTrainer((trainer, launch) =>
  documentsOf(launch, "deepspeed").flatMap(({ root }) => {
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
  }),
);

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
    message: `${key} is ${String(value)} and the Trainer's ${name} ${told === undefined ? `defaults to ${String(ours)}` : `is ${String(ours)}`}`,
    valid: [String(ours), '"auto"'],
    ...nearby("the Trainer is told here", told?.nameSpan),
    fixes: [{ title: 'write "auto"', edits: [{ span: node.span, newText: '"auto"' }] }],
  };
}

function batches(root: Located, trainer: Settings, { world }: Launch): readonly Found[] {
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
      message: `train_batch_size is ${total} and the Trainer makes ${micro} samples x ${accumulation} accumulation x ${world.size} rank${world.size === 1 ? "" : "s"} = ${ours}`,
      valid: [String(ours), '"auto"'],
      related: [
        ...nearby("samples of one rank", toldIn(trainer, "per_device_train_batch_size")?.nameSpan).related,
        ...world.said.map(({ span }) => ({ message: "ranks", span })),
      ],
      fixes: [{ title: 'write "auto"', edits: [{ span: node.span, newText: '"auto"' }] }],
    },
  ];
}

/** Keys of a DeepSpeed JSON whose `"auto"` transformers fills. */
const filled = new Set([
  "train_batch_size",
  "train_micro_batch_size_per_gpu",
  "gradient_accumulation_steps",
  "gradient_clipping",
  "optimizer.params.lr",
  "optimizer.params.betas",
  "optimizer.params.eps",
  "optimizer.params.weight_decay",
  "scheduler.params.warmup_min_lr",
  "scheduler.params.warmup_max_lr",
  "scheduler.params.warmup_num_steps",
  "scheduler.params.total_num_steps",
  "fp16.enabled",
  "bf16.enabled",
  "zero_optimization.reduce_bucket_size",
  "zero_optimization.stage3_prefetch_bucket_size",
  "zero_optimization.stage3_param_persistence_threshold",
  "zero_optimization.stage3_gather_16bit_weights_on_model_save",
  "zero_optimization.stage",
  "zero_optimization.offload_optimizer.device",
  "zero_optimization.offload_param.device",
]);

/** Those of them that only accelerate fills, not the Trainer. */
const byAccelerate = /16bit_weights|zero_optimization\.stage$|offload_/;

function autos(node: Located, prefix = ""): readonly { readonly path: string; readonly node: Located }[] {
  if (node.kind === "scalar") return node.value === "auto" ? [{ path: prefix, node }] : [];
  if (node.kind === "list") return [];
  return node.entries.flatMap(({ key, value }) => autos(value, prefix === "" ? key : `${prefix}.${key}`));
}

export const trainerRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-precision",
    source: "transformers/training_args.py: TrainingArguments._validate_args",
    why: "A run has one precision: fp16 or bf16. bf16 needs no loss scaling and is the better one where the GPU has it (Ampere and later).",
    check: withTrainer((trainer) => {
      const [a, b] = [toldIn(trainer, "fp16"), toldIn(trainer, "bf16")];
      if (
        a === undefined ||
        b === undefined ||
        switchIn(trainer, "fp16") !== true ||
        switchIn(trainer, "bf16") !== true
      )
        return [];
      return [{ span: b.nameSpan, message: "fp16 and bf16 are both on", ...nearby("the other", a.nameSpan) }];
    }),
    fires: { "args.yaml": yaml("fp16: true\nbf16: true\n") },
    silent: { "args.yaml": yaml("fp16: false\nbf16: true\n") },
  }),
  rule({
    name: "trainer-best-model",
    source: "transformers/training_args.py: TrainingArguments._validate_args",
    why:
      "The best model is chosen among those that were evaluated and saved: both happen at the same times, or saving at every so many evaluations. " +
      "By default nothing is evaluated and every 500 steps are saved.",
    check: best,
    fires: { "args.yaml": yaml("load_best_model_at_end: true\neval_strategy: epoch\n") },
    silent: { "args.yaml": yaml("load_best_model_at_end: true\neval_strategy: epoch\nsave_strategy: epoch\n") },
  }),
  rule({
    name: "trainer-steps",
    source: "transformers/training_args.py: TrainingArguments.__post_init__, _validate_args",
    why: "Steps are counted in whole numbers; below 1 they are a share of the run. A strategy of steps needs a number above zero.",
    check: withTrainer((trainer) =>
      (
        [
          ["logging_steps", strategy(trainer, "logging_strategy")],
          ["eval_steps", strategy(trainer, ...evaluation)],
          ["save_steps", strategy(trainer, "save_strategy")],
        ] as const
      ).flatMap(([name, kind]) => {
        const told = toldIn(trainer, name);
        const steps = numberIn(trainer, name);
        if (kind !== "steps" || told === undefined || steps === null) return [];
        if (steps === 0 && name !== "save_steps")
          return [{ span: told.span, message: `${name} is 0 and its strategy is steps` }];
        return steps > 1 && !Number.isInteger(steps)
          ? [{ span: told.span, message: `${name} ${steps} is above 1 and no whole number` }]
          : [];
      }),
    ),
    fires: { "args.yaml": yaml("eval_strategy: steps\neval_steps: 0\n") },
    silent: { "args.yaml": yaml("eval_strategy: steps\neval_steps: 100\n") },
  }),
  rule({
    name: "trainer-scheduler-evaluation",
    source: "transformers/training_args.py: TrainingArguments._validate_args",
    why: "A schedule that waits for the loss to stop falling needs evaluations to look at.",
    check: withTrainer((trainer) => {
      const told = toldIn(trainer, "lr_scheduler_type");
      if (
        told === undefined ||
        !["reduce_lr_on_plateau", "greedy"].includes(String(told.value)) ||
        strategy(trainer, ...evaluation) !== "no"
      )
        return [];
      return [
        {
          span: told.span,
          message: `lr_scheduler_type ${String(told.value)} needs evaluations, and eval_strategy is no`,
        },
      ];
    }),
    fires: { "args.yaml": yaml("lr_scheduler_type: reduce_lr_on_plateau\n") },
    silent: { "args.yaml": yaml("lr_scheduler_type: reduce_lr_on_plateau\neval_strategy: epoch\n") },
  }),
  rule({
    name: "trainer-warmup",
    source: "transformers/training_args.py: TrainingArguments._validate_args",
    why: "The rate rises for some steps, or for a share of the run between 0 and 1. Less than none is refused.",
    check: withTrainer((trainer) =>
      ["warmup_steps", "warmup_ratio"].flatMap((name) => {
        const told = toldIn(trainer, name);
        const value = numberIn(trainer, name);
        if (told === undefined || value === null || (value >= 0 && (name === "warmup_steps" || value <= 1)))
          return [];
        return [{ span: told.span, message: `${name} ${value} is ${value < 0 ? "below 0" : "above 1"}` }];
      }),
    ),
    fires: { "args.yaml": yaml("warmup_steps: -1\n") },
    silent: { "args.yaml": yaml("warmup_steps: 10\n") },
  }),
  rule({
    name: "trainer-prefetch",
    source: "transformers/training_args.py: TrainingArguments._validate_args",
    why: "Only worker processes read ahead: `dataloader_prefetch_factor` needs `dataloader_num_workers` above 0.",
    check: withTrainer((trainer) => {
      const told = toldIn(trainer, "dataloader_prefetch_factor");
      if (told === undefined || numberIn(trainer, "dataloader_prefetch_factor") === null) return [];
      const workers = toldIn(trainer, "dataloader_num_workers");
      if (workers?.known === false || (numberIn(trainer, "dataloader_num_workers") ?? 0) > 0) return [];
      return [{ span: told.span, message: "dataloader_prefetch_factor needs dataloader_num_workers above 0" }];
    }),
    fires: { "args.yaml": yaml("dataloader_prefetch_factor: 2\n") },
    silent: { "args.yaml": yaml("dataloader_prefetch_factor: 2\ndataloader_num_workers: 4\n") },
  }),
  rule({
    name: "trainer-deepspeed-mismatch",
    source: "transformers/integrations/deepspeed.py: HfTrainerDeepSpeedConfig.fill_match, trainer_config_finalize",
    why:
      "The Trainer compares its own numbers with those of the DeepSpeed JSON and stops where they differ, its defaults included, once the model is " +
      'loaded. Say each once: `"auto"` in the JSON takes what the Trainer has.',
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
    name: "deepspeed-auto-unfilled",
    source:
      "transformers/integrations/deepspeed.py: HfDeepSpeedConfig; accelerate/utils/dataclasses.py: DeepSpeedPlugin.fill_match",
    why:
      '`"auto"` is a word of transformers and accelerate, for a fixed list of keys. DeepSpeed itself compares the letters: at the top level it stops, inside ' +
      "a section it takes its default without a word.",
    check: (launch) => {
      // Where nothing fills, DeepSpeed itself refuses the word or drops it: its own rules say so.
      if (fills(launch) !== true) return [];
      return documentsOf(launch, "deepspeed").flatMap(({ root }) =>
        autos(root).flatMap(({ path, node }): Found[] => {
          if (filled.has(path) && !(byAccelerate.test(path) && launch.accelerate === null)) return [];
          return [
            { span: node.span, message: `"auto" is not filled for ${path}: write a value`, valid: [...filled] },
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
    why: "Bucket sizes on `auto` are computed from the model's `hidden_size`. A model whose configuration has none needs numbers.",
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
  rule({
    name: "zero3-placement",
    source: "transformers/modeling_utils.py: from_pretrained; accelerate/accelerator.py: prepare_model",
    why: "ZeRO-3 owns where weights live; `device_map` and loaders that place the whole model on one device contradict it. Leave them out.",
    check: (launch) => {
      const stage = zeroStages(launch)[0];
      if (stage === undefined || stage.stage !== 3) return [];
      const all = [
        launch.trainer ?? new Map<string, Told>(),
        ...launch.runs.map(({ options }) => options),
      ] as Settings[];
      const placed = new Map<Told["span"], Found>();
      for (const settings of all) {
        const map = toldIn(settings, "device_map");
        if (map !== undefined && map.known && map.value !== null && map.value !== "null")
          placed.set(map.span, {
            span: map.span,
            message: `device_map ${String(map.value)} and ZeRO-3 both place the weights`,
            ...nearby("stage 3", stage.span),
          });
        const unsloth = toldIn(settings, "use_unsloth");
        if (unsloth !== undefined && switchIn(settings, "use_unsloth") === true)
          placed.set(unsloth.span, {
            span: unsloth.nameSpan,
            message: "use_unsloth loads the whole model on one GPU, which ZeRO-3 divides",
            ...nearby("stage 3", stage.span),
          });
      }
      return [...placed.values()];
    },
    fires: { "ds.json": '{ "zero_optimization": { "stage": 3 } }', "args.yaml": yaml("device_map: auto\n") },
    silent: { "ds.json": '{ "zero_optimization": { "stage": 2 } }', "args.yaml": yaml("device_map: auto\n") },
  }),
  rule({
    name: "deepspeed-file-name",
    severity: "warning",
    source: "the name of the file against its own `zero_optimization.stage`",
    why: "A file that was copied and changed keeps its name: a launch that names `zero2` and runs stage 3 fails in ways that its reader does not expect.",
    check: (launch) =>
      documentsOf(launch, "deepspeed").flatMap(({ path, root }) => {
        const named = /(?:zero|stage|z)[-_]?([0-3])(?!\d)/i.exec(path.split("/").at(-1) ?? "")?.[1];
        const node = at(root, "zero_optimization", "stage");
        const stage = scalarOf(node);
        if (named === undefined || node === undefined || typeof stage !== "number" || String(stage) === named)
          return [];
        return [
          {
            span: node.span,
            message: `the file is called ${path.split("/").at(-1)} and says stage ${stage}`,
            valid: [named],
          },
        ];
      }),
    fires: { "ds_zero2.json": '{ "zero_optimization": { "stage": 3 } }' },
    silent: { "ds_zero2.json": '{ "zero_optimization": { "stage": 2 } }' },
  }),
  rule({
    name: "trainer-compile-deepspeed",
    source: "axolotl/utils/schemas/validation.py: check_torch_compile_deepspeed",
    why: "Axolotl refuses `torch_compile` beside `deepspeed`: compiled graphs and the hooks of ZeRO do not go together. Take one of the two.",
    check: (launch) => {
      const [compiled, deepspeed] = [launch.trainer?.get("torch_compile"), launch.trainer?.get("deepspeed")];
      if (!launch.documents.some(({ kind }) => kind === "axolotl") || launch.trainer === null) return [];
      if (
        compiled === undefined ||
        deepspeed === undefined ||
        switchIn(launch.trainer, "torch_compile") !== true ||
        deepspeed.value === null
      )
        return [];
      return [
        {
          span: compiled.nameSpan,
          message: "torch_compile and deepspeed are both asked for",
          ...nearby("deepspeed", deepspeed.nameSpan),
        },
      ];
    },
    fires: { "axolotl.yaml": "base_model: m\nmicro_batch_size: 1\ntorch_compile: true\ndeepspeed: zero3.json\n" },
    silent: { "axolotl.yaml": "base_model: m\nmicro_batch_size: 1\ntorch_compile: false\ndeepspeed: zero3.json\n" },
  }),
  rule({
    name: "trainer-half-weights",
    source: "torch/amp/grad_scaler.py: GradScaler._unscale_grads_",
    why:
      "Mixed precision in fp16 keeps weights in 32 bits and scales the loss. Weights that are fp16 themselves and train make it stop with " +
      "`Attempting to unscale FP16 gradients`. Load them in float32, or train adapters alone, or in bf16.",
    check: (launch) => {
      const all: Settings = new Map([
        ...(launch.accelerate ?? []),
        ...(launch.trainer ?? []),
        ...launch.runs.flatMap(({ options }) => [...options]),
      ]);
      const mixed =
        switchIn(all, "fp16") === true
          ? toldIn(all, "fp16")
          : textIn(all, "mixed_precision") === "fp16"
            ? toldIn(all, "mixed_precision")
            : undefined;
      const dtype = toldIn(all, "torch_dtype", "dtype", "model_dtype", "weight_dtype", "weights_dtype");
      if (
        mixed === undefined ||
        dtype === undefined ||
        !/^(?:torch\.)?(?:float16|fp16|half)$/.test(String(dtype.value))
      )
        return [];
      if (
        switchIn(all, "use_lora", "use_peft", "lora") === true ||
        toldIn(all, "lora_r", "lora_rank", "adapter") !== undefined
      )
        return [];
      if (launch.documents.some(({ kind }) => kind === "deepspeed")) return [];
      return [
        {
          span: dtype.span,
          message: "weights in fp16 cannot be trained with fp16 mixed precision: its scaler refuses their gradients",
          valid: ["float32", "bfloat16"],
          ...nearby("mixed precision", mixed.nameSpan),
        },
      ];
    },
    fires: {
      "run.sh":
        "accelerate launch --mixed_precision fp16 --num_processes 2 train.py --torch_dtype float16 --output_dir out\n",
    },
    silent: {
      "run.sh":
        "accelerate launch --mixed_precision fp16 --num_processes 2 train.py --torch_dtype float32 --output_dir out\n",
    },
  }),
];

/** Stages of ZeRO that the launch's files say. */
export function zeroStages({
  documents,
  accelerate,
}: Launch): readonly { readonly stage: number; readonly span: Told["span"] }[] {
  const own = documents.flatMap(({ kind, root }) => {
    const node = kind === "deepspeed" || kind === "gpt-neox" ? at(root, "zero_optimization", "stage") : undefined;
    const stage = scalarOf(node);
    return node !== undefined && typeof stage === "number" ? [{ stage, span: node.span }] : [];
  });
  const told = accelerate === null ? undefined : toldIn(accelerate, "zero_stage", "deepspeed_config.zero_stage");
  const stage = Number(told?.value);
  return told === undefined || !Number.isInteger(stage) ? own : [...own, { stage, span: told.span }];
}
