/** The course of the learning rate: DeepSpeed's own schedules, and those of transformers. */
import { below } from "../../engines/release.ts";
import { numberIn, textIn, type Settings } from "../../foreign/settings.ts";
import type { Answers } from "./answers.ts";
import type { Left } from "./facts.ts";
import { inTable } from "../../../dsl/in-table.ts";

export interface Schedule {
  readonly name: string;
  readonly warmup: string | null;
  readonly to: number | null;
  /** Steps of its last part. */
  readonly cooldown?: number;
  /** Why it is another one than the files say. */
  readonly why?: string;
}

interface Around {
  readonly isTrainer: boolean;
  readonly lr: number;
  /** Of transformers, where the files name it. */
  readonly release: string | null;
  readonly left: Left[];
}

/** transformers SchedulerType, and what the language calls it. */
const trainerSchedules: Readonly<Record<string, string>> = {
  linear: "linear",
  cosine: "cosine",
  cosine_with_min_lr: "cosine",
  constant: "constant",
  constant_with_warmup: "constant",
  cosine_warmup_with_min_lr: "cosine",
  inverse_sqrt: "inverse_sqrt",
  warmup_stable_decay: "wsd",
};

/** deepspeed/runtime/lr_schedules.py */
const engineSchedules: Readonly<Record<string, string>> = {
  WarmupLR: "constant",
  WarmupDecayLR: "linear",
  WarmupCosineLR: "cosine",
};

export function scheduleOf(answers: Answers, around: Around): Schedule {
  const type = answers.own("scheduler.type");
  return typeof type === "string" ? ofEngine(type, answers, around) : ofTrainer(answers, around);
}

/** `_format_param`: what the schedule says of the rate counts, and WarmupDecayLR says something where nobody does. */
export function rateOfSchedule({ own, number, isAuto }: Answers): number | null {
  const type = own("scheduler.type");
  if (type !== "WarmupLR" && type !== "WarmupDecayLR") return null;
  const said = number("scheduler.params.warmup_max_lr");
  if (said !== null) return said > 0 ? said : null;
  return type === "WarmupLR" || isAuto("scheduler.params.warmup_max_lr") ? null : 0.001;
}

function ofEngine(type: string, answers: Answers, { release, left }: Around): Schedule {
  const { own, number, isAuto, settings } = answers;
  const name = inTable(engineSchedules, type);
  if (name === undefined) {
    left.push({ what: `the schedule ${type}`, why: "the language has no such schedule" });
    return { name: "constant", warmup: null, to: null };
  }
  // The Trainer fills in its own warm-up.
  const warmup = isAuto("scheduler.params.warmup_num_steps")
    ? trainerWarmup(settings, release, left)
    : `${engineWarmup(answers)} steps`;
  const isLinear = own("scheduler.params.warmup_type") === "linear";
  return {
    name,
    warmup,
    to: type === "WarmupCosineLR" ? (number("scheduler.params.cos_min_ratio") ?? 0.0001) : null,
    ...(isLinear || warmup === null ? {} : { why: "the warm-up is linear here, but logarithmic there" }),
  };
}

/** Steps of DeepSpeed's own warm-up, 0 where no schedule of its has one (runtime/lr_schedules.py: WarmupLR, WarmupCosineLR). */
export function engineWarmup({ own, number }: Answers): number {
  if (inTable(engineSchedules, String(own("scheduler.type"))) === undefined) return 0;
  return Math.max(2, Math.round(number("scheduler.params.warmup_num_steps") ?? 1000));
}

function ofTrainer({ settings }: Answers, { isTrainer, lr, release, left }: Around): Schedule {
  const said = textIn(settings, "lr_scheduler_type", "lr_scheduler") ?? (isTrainer ? "linear" : "constant");
  const name = inTable(trainerSchedules, said);
  if (name === undefined) left.push({ what: `the schedule ${said}`, why: "the language has no such schedule" });
  const own = (...names: readonly string[]): number | null =>
    numberIn(settings, ...names.map((each) => `lr_scheduler_kwargs.${each}`), ...names);
  const least = numberIn(settings, "lr_scheduler_kwargs.min_lr", "min_lr", "cosine_min_lr");
  const share = own("min_lr_rate", "min_lr_ratio") ?? numberIn(settings, "cosine_min_lr_ratio");
  const warmup = trainerWarmup(settings, release, left);
  const cooldown = name === "wsd" ? own("num_decay_steps") : null;
  const why = name === undefined ? `it was ${said}` : otherCourse(name, settings, warmup);
  return {
    name: name ?? "cosine",
    warmup,
    to: share ?? (least === null || lr <= 0 ? null : least / lr),
    ...(cooldown === null ? {} : { cooldown }),
    ...(why === null ? {} : { why }),
  };
}

/** What is otherwise there than in the schedule of the language (transformers/optimization.py: get_wsd_schedule, get_inverse_sqrt_schedule). */
function otherCourse(name: string, settings: Settings, warmup: string | null): string | null {
  const decay = textIn(settings, "lr_scheduler_kwargs.decay_type") ?? "cosine";
  if (name === "wsd" && decay !== "linear") return `the decay is a line here, but was ${decay}`;
  const scale = numberIn(settings, "lr_scheduler_kwargs.timescale") ?? (warmup === null ? 10_000 : null);
  return name === "inverse_sqrt" && scale !== null ? `its time scale was ${scale} steps` : null;
}

/** transformers/training_args.py: get_warmup_steps; a number below 1 is a share of the run since this release. */
const shares = "5.0";

function trainerWarmup(settings: Settings, release: string | null, left: Left[]): string | null {
  const count = numberIn(settings, "warmup_steps");
  const ratio = numberIn(settings, "warmup_ratio");
  if (count !== null && count >= 1) return `${Math.trunc(count)} steps`;
  if (count !== null && count > 0) {
    if (release === null || !below(release, shares)) return shareOf(count);
    left.push({ what: `warmup_steps ${count}`, why: `it is a number of steps in transformers ${release}` });
    return null;
  }
  return ratio !== null && ratio > 0 ? shareOf(ratio) : null;
}

const shareOf = (ratio: number): string => `${Number((ratio * 100).toPrecision(12))}%`;
