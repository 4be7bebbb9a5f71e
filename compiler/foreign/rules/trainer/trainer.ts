/** What transformers' Trainer refuses of its own options. */
import type { Launch } from "../../launch.ts";
import { numberIn, switchIn, toldIn, type Settings, type Told } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

export const yaml = (text: string): string => `output_dir: out\nper_device_train_batch_size: 4\n${text}`;

export const withTrainer = (check: (trainer: Settings, launch: Launch) => readonly Found[]) => (launch: Launch) =>
  launch.trainer === null ? [] : check(launch.trainer, launch);

const spanOf = (told: Told | undefined): Told["span"] | undefined => told?.span;

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
        message: `load_best_model_at_end needs evaluation and saving at the same times: evaluation is ${evaluates}${first === undefined ? " (the default)" : ""}, saving ${saves}${second === undefined ? " (the default)" : ""}`,
        valid: [saves === "no" ? evaluates : saves],
        ...nearby("requested here", place),
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
        message: `save_steps ${save} and eval_steps ${evaluate}: one is a share of the run, the other a count, and whether they are multiples is unknown`,
      },
    ];
  const last = numberIn(trainer, "max_steps") ?? 0;
  const ends = toldIn(trainer, "max_steps");
  if (ends !== undefined && last > 0 && evaluate >= 1 && evaluate > last)
    return [
      {
        span: told.span,
        severity: "warning" as const,
        message: `the first evaluation would be after ${evaluate} steps, but the run ends at ${last}: there is no best model`,
        valid: [String(last)],
        ...nearby("the end", ends.span),
      },
    ];
  const large = evaluate < 1 ? 1_000_000 : 1;
  if (Math.round(save * large) % Math.round(evaluate * large) === 0) return inexact(save, evaluate, told);
  const near = Math.max(1, Math.round(save / evaluate)) * evaluate;
  return [
    {
      span: told.span,
      message: `save_steps ${save} is not a multiple of eval_steps ${evaluate}, which load_best_model_at_end needs`,
      valid: [String(near)],
      ...nearby("evaluation", spanOf(toldIn(trainer, "eval_steps"))),
    },
  ];
});

export const trainerRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-precision",
    source: "transformers/training_args.py: TrainingArguments._validate_args",
    why: "A run has one precision: fp16 or bf16. bf16 needs no loss scaling and is better on GPUs that support it (Ampere and later).",
    fix: "Remove fp16 on GPUs from Ampere on, and bf16 on older ones.",
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
      "The best model is chosen among those that were both evaluated and saved, so both must happen at the same times, or saving at every nth evaluation. " +
      "By default nothing is evaluated, and a checkpoint is saved every 500 steps.",
    fix: "Set eval_strategy and save_strategy to the same word, and with `steps` set save_steps to a multiple of eval_steps; or remove load_best_model_at_end.",
    check: best,
    fires: { "args.yaml": yaml("load_best_model_at_end: true\neval_strategy: epoch\n") },
    silent: { "args.yaml": yaml("load_best_model_at_end: true\neval_strategy: epoch\nsave_strategy: epoch\n") },
  }),
  rule({
    name: "trainer-steps",
    source: "transformers/training_args.py: TrainingArguments.__post_init__, _validate_args",
    why: "Steps are whole numbers; a value below 1 is a share of the run. The strategy `steps` needs a number above zero.",
    fix: "Write a whole number of steps of at least 1, or a share of the run between 0 and 1.",
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
          return [{ span: told.span, message: `${name} is 0, but its strategy is steps` }];
        return steps > 1 && !Number.isInteger(steps)
          ? [{ span: told.span, message: `${name} ${steps} is above 1 but not a whole number` }]
          : [];
      }),
    ),
    fires: { "args.yaml": yaml("eval_strategy: steps\neval_steps: 0\n") },
    silent: { "args.yaml": yaml("eval_strategy: steps\neval_steps: 100\n") },
  }),
  rule({
    name: "trainer-scheduler-evaluation",
    source: "transformers/training_args.py: TrainingArguments._validate_args",
    why: "This schedule lowers the rate when the evaluation loss stops falling. Without evaluations the Trainer stops when it is created.",
    fix: "Set eval_strategy to epoch or steps, or use another lr_scheduler_type.",
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
          message: `lr_scheduler_type ${String(told.value)} needs evaluations, but eval_strategy is no`,
        },
      ];
    }),
    fires: { "args.yaml": yaml("lr_scheduler_type: reduce_lr_on_plateau\n") },
    silent: { "args.yaml": yaml("lr_scheduler_type: reduce_lr_on_plateau\neval_strategy: epoch\n") },
  }),
  rule({
    name: "trainer-warmup",
    source: "transformers/training_args.py: TrainingArguments._validate_args",
    why: "The rate rises for a number of steps, or for a share of the run between 0 and 1. A negative value is refused.",
    fix: "Set warmup_steps to 0 or more, or a share of the run between 0 and 1.",
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
    why: "Only worker processes prefetch. Without them PyTorch's data loader stops.",
    fix: "Set dataloader_num_workers to 1 or more, or remove dataloader_prefetch_factor.",
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
];

function strategy(trainer: Settings, ...names: readonly string[]): string | null {
  const told = toldIn(trainer, ...names);
  if (told === undefined) return names.includes("eval_strategy") ? "no" : "steps";
  // YAML 1.1 reads a bare `no` as false, and transformers takes it for the word.
  return told.known ? (told.value === false ? "no" : String(told.value).toLowerCase()) : null;
}

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
