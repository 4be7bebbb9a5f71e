/** Length of the run, learning rate, weight decay. */
import type { Arguments } from "../launch.ts";
import { rulesOf, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");
const scheduler = rulesOf("megatron/core/optimizer_param_scheduler.py: OptimizerParamScheduler.__init__");
const building = rulesOf("megatron/training/training.py: get_optimizer_param_scheduler");

const byIterations = (a: Arguments): boolean => Boolean(a.train_iters) && !a.skip_train;
const bySamples = (a: Arguments): boolean => Boolean(a.train_samples) && !a.skip_train;

/** Counts of the other unit that a run measured in iterations or in samples must not hold. */
const mixed = [
  ["schedule-two-lengths", byIterations, "train_samples", null, "--train-iters", "--train-samples 1600"],
  ["schedule-decay-samples", byIterations, "lr_decay_samples", null, "--train-iters", "--lr-decay-samples 1600"],
  ["schedule-warmup-samples", byIterations, "lr_warmup_samples", 0, "--train-iters", "--lr-warmup-samples 16"],
  ["schedule-decay-iters", bySamples, "lr_decay_iters", null, "--train-samples", "--lr-decay-iters 100"],
  ["schedule-warmup-iters", bySamples, "lr_warmup_iters", 0, "--train-samples", "--lr-warmup-iters 10"],
] as const;

export const units: readonly Step[] = [
  ...mixed.map(([name, applies, argument, none, length, wrong]) =>
    ban(name, {
      about: [argument, length === "--train-iters" ? "train_iters" : "train_samples"],
      when: (a) => applies(a) && a[argument] !== none,
      says: `the run's length is in ${length}, but ${wrong.split(" ")[0]} counts in the other unit`,
      why: "The length of a run is in iterations or in samples, and so are its warm-up and decay.",
      fix: `Leave ${wrong.split(" ")[0]} out, or give the length of the run in its unit and leave ${length} out.`,
      base: length === "--train-iters" ? "gpt" : "samples",
      fires: wrong,
      silent: "",
    }),
  ),
  demand("schedule-two-warmups", {
    about: ["lr_warmup_fraction", "lr_warmup_iters", "lr_warmup_samples"],
    check: (a) => {
      if (a.lr_warmup_fraction === null) return null;
      if (byIterations(a) && a.lr_warmup_iters !== 0)
        return "--lr-warmup-fraction and --lr-warmup-iters both say the warm-up";
      return bySamples(a) && a.lr_warmup_samples !== 0
        ? "--lr-warmup-fraction and --lr-warmup-samples both say the warm-up"
        : null;
    },
    why: "A share of the decay and a count both set how long the rate rises, and they could disagree.",
    fix: "Keep either --lr-warmup-fraction or the count of iterations or samples.",
    fires: "--lr-warmup-fraction 0.01 --lr-warmup-iters 10",
    silent: "--lr-warmup-fraction 0.01",
  }),
];

/** The parser takes `nan` for a number, and no assertion holds of it. */
const notNumber = (name: string): string => `${name} is nan, which is neither above nor below any number`;

export const rates: readonly Step[] = [
  demand("schedule-min-rate", {
    about: ["min_lr", "lr"],
    check: ({ lr, min_lr: least }) => {
      if (lr === null || least <= lr) return null;
      if (Number.isNaN(lr)) return notNumber("--lr");
      return Number.isNaN(least) ? notNumber("--min-lr") : "--min-lr is above --lr";
    },
    why: "The rate falls from --lr to --min-lr. With a higher end it would rise. The engine's own message is empty.",
    fix: "Set --min-lr to at most --lr; a tenth of it is usual.",
    fires: "--min-lr 1e-3",
    silent: "--min-lr 1e-5",
  }),
];

export const decayOfWeights: readonly Step[] = [
  demand("weight-decay-ends", {
    about: ["weight_decay_incr_style", "start_weight_decay", "end_weight_decay"],
    check: (a) => {
      const [start, end] = [a.start_weight_decay, a.end_weight_decay];
      if (a.weight_decay_incr_style === "constant")
        return start === null && end === null
          ? null
          : "--start-weight-decay and --end-weight-decay have no use with --weight-decay-incr-style constant";
      return start !== null && end !== null
        ? null
        : `--weight-decay-incr-style ${a.weight_decay_incr_style} needs --start-weight-decay and --end-weight-decay`;
    },
    why: "A constant decay is --weight-decay; a growing one has two ends. The engine's own message is empty.",
    fix: "Give --start-weight-decay and --end-weight-decay with a growing style; with --weight-decay-incr-style constant give --weight-decay alone.",
    fires: "--weight-decay-incr-style linear",
    silent: "--weight-decay-incr-style linear --start-weight-decay 0.01 --end-weight-decay 0.1",
  }),
  settle(["start_weight_decay", "end_weight_decay"], (a) => {
    if (a.weight_decay_incr_style === "constant") a.start_weight_decay = a.end_weight_decay = a.weight_decay;
  }),
];

interface Lengths {
  readonly decay: number;
  readonly warmup: number;
  readonly wsd: number | null;
}

/** In samples, as the scheduler counts; `null` where no length is given. */
function lengths(a: Arguments): Lengths | null {
  const batch = a.global_batch_size ?? 1;
  if (a.train_iters) {
    const decay = (a.lr_decay_iters ?? a.train_iters) * batch;
    const warmup = a.lr_warmup_fraction === null ? a.lr_warmup_iters * batch : a.lr_warmup_fraction * decay;
    return { decay, warmup, wsd: a.lr_wsd_decay_iters === null ? null : a.lr_wsd_decay_iters * batch };
  }
  if (!a.train_samples) return null;
  const decay = a.lr_decay_samples ?? a.train_samples;
  const warmup = a.lr_warmup_fraction === null ? a.lr_warmup_samples : a.lr_warmup_fraction * decay;
  return { decay, warmup, wsd: a.lr_wsd_decay_samples };
}

/** The optimizer and its schedule are built after the model, minutes into the job. */
const trains = (a: Arguments): boolean => !a.skip_train;

export const scheduled: readonly Step[] = [
  building.ban("schedule-length", {
    about: ["train_iters", "train_samples"],
    when: (a) => trains(a) && !a.perform_rl_step && lengths(a) === null,
    says: "--train-iters or --train-samples is missing",
    why: "Nothing sets when the run ends. The engine notices only after the model is built.",
    fix: "Give --train-iters N or --train-samples N.",
    base: "lengthless",
    fires: "",
    silent: "--train-iters 100",
  }),
  scheduler.demand("schedule-rate", {
    about: ["lr", "min_lr", "lr_warmup_init"],
    check: (a) => {
      if (!trains(a)) return null;
      if (a.lr === null) return "--lr is missing";
      if (a.min_lr < 0) return `--min-lr ${a.min_lr} is negative`;
      // Of a rate that is no number `schedule-min-rate` has spoken.
      if (a.lr_warmup_init <= a.lr || Number.isNaN(a.lr)) return null;
      return Number.isNaN(a.lr_warmup_init)
        ? notNumber("--lr-warmup-init")
        : `--lr-warmup-init ${a.lr_warmup_init} is above --lr ${a.lr}`;
    },
    why: "The rate rises from --lr-warmup-init to --lr and falls to --min-lr, none of them below zero. The engine notices only after the model is built, and its message is empty.",
    fix: "Give --lr, with --lr-warmup-init at most --lr and --min-lr of at least 0.",
    fires: "--lr-warmup-init 1e-3",
    silent: "--lr-warmup-init 1e-6",
  }),
  scheduler.demand("schedule-decay", {
    about: ["lr_decay_iters", "lr_decay_samples", "train_iters"],
    check: (a) => {
      const decay = trains(a) ? lengths(a)?.decay : undefined;
      return decay === undefined || decay > 0 ? null : "the decay of the learning rate has no steps";
    },
    why: "--lr-decay-iters (or -samples) is positive; it is the length of the run where it isn't given.",
    fix: "Set --lr-decay-iters (or --lr-decay-samples) above 0, or leave it out to use the length of the run.",
    fires: "--lr-decay-iters 0",
    silent: "--lr-decay-iters 100",
  }),
  scheduler.demand("schedule-warmup", {
    about: ["lr_warmup_iters", "lr_warmup_samples", "lr_warmup_fraction", "lr_decay_iters"],
    check: (a) => {
      const all = trains(a) ? lengths(a) : null;
      if (all === null || all.decay <= 0 || all.warmup < all.decay) return null;
      const [unit, per] = a.train_iters ? ["steps", a.global_batch_size ?? 1] : ["samples", 1];
      return `a warm-up of ${all.warmup / per} ${unit} does not end before the decay of ${all.decay / per}`;
    },
    why: "The decay is counted from the start of the run and includes the warm-up. The engine notices only after the model is built, and its message is empty.",
    fix: "Shorten the warm-up below the decay, or lengthen --lr-decay-iters (or the run).",
    fires: "--lr-warmup-iters 100",
    silent: "--lr-warmup-iters 10",
  }),
  scheduler.ban("schedule-wsd", {
    about: ["lr_decay_style", "lr_wsd_decay_iters", "lr_wsd_decay_samples"],
    when: (a) => trains(a) && a.lr_decay_style === "WSD" && lengths(a)?.wsd === null,
    says: "--lr-decay-style WSD needs --lr-wsd-decay-iters or --lr-wsd-decay-samples",
    why: "The WSD schedule is warm-up, stable, decay, and the length of the decay has no default. The engine's own message is empty.",
    fix: "Give --lr-wsd-decay-iters N (or --lr-wsd-decay-samples), the length of the decay.",
    fires: "--lr-decay-style WSD",
    silent: "--lr-decay-style WSD --lr-wsd-decay-iters 10",
  }),
  scheduler.demand("weight-decay-range", {
    about: ["start_weight_decay", "end_weight_decay", "weight_decay"],
    check: (a) => {
      const [start, end] = [a.start_weight_decay, a.end_weight_decay];
      if (!trains(a) || start === null || end === null) return null;
      if (start < 0) return `a weight decay of ${start} is negative`;
      return end >= start ? null : `weight decay falls from ${start} to ${end}`;
    },
    why: "Weight decay is at least zero, and can only grow over a run. The engine's own message is empty.",
    fix: "Give a weight decay of at least 0, with --end-weight-decay at least --start-weight-decay.",
    fires: "--weight-decay -0.1",
    silent: "--weight-decay 0.1",
  }),
  scheduler.ban("schedule-override-and-load", {
    about: ["override_opt_param_scheduler", "use_checkpoint_opt_param_scheduler"],
    when: (a) => trains(a) && a.override_opt_param_scheduler && a.use_checkpoint_opt_param_scheduler,
    says: "--override-opt_param-scheduler and --use-checkpoint-opt_param-scheduler contradict each other",
    why: "On resume the schedule comes either from the arguments or from the checkpoint, but the two switches ask for both.",
    fix: "Keep one: --override-opt_param-scheduler uses the arguments, --use-checkpoint-opt_param-scheduler the checkpoint.",
    fires: "--override-opt_param-scheduler --use-checkpoint-opt_param-scheduler",
    silent: "--override-opt_param-scheduler",
  }),
];
