/** What files say of a training under the Trainer's and DeepSpeed's names, with the usual values of who reads them. */
import { numberIn, switchIn, textIn, type Settings } from "../../foreign/settings.ts";
import type { Launch } from "../../foreign/launch.ts";
import { usualClipping } from "../../engines/deepspeed/clipping.ts";
import { newest } from "../../engines/deepspeed/versions.ts";
import { enginesOf } from "../../foreign/engines.ts";
import { packagesOf } from "../../foreign/known/packages.ts";
import { parallelSize } from "../../foreign/parallelism.ts";
import type { Document } from "../../document.ts";
import { atPath, type Section } from "./deepspeed-document.ts";
import { answersOf, mapped, unsaid, type Answers, type Fact } from "./answers.ts";
import { divisors } from "../../planner/divisors.ts";
import { engineWarmup, rateOfSchedule, scheduleOf, type Schedule } from "./schedule.ts";
import { undividedOf } from "./undivided.ts";

export interface Left {
  readonly what: string;
  readonly why: string;
}

export interface Facts {
  readonly micro: Fact<number>;
  readonly batch: Fact<number>;
  readonly ranks: number;
  /** Ranks that share each sequence (Ulysses). */
  readonly sequence: number;
  /** What several ranks shared there, and each has for itself here. */
  readonly undivided?: string;
  readonly precision: Fact<"fp32" | "bf16" | "fp16">;
  readonly clip: Fact<number>;
  readonly optimizer: Optimizer;
  readonly schedule: Fact<Schedule>;
  readonly length: Fact<{ readonly value: number; readonly unit: "steps" | "epochs" }>;
  readonly left: readonly Left[];
}

interface Optimizer {
  readonly lr: Fact<number>;
  readonly betas: Fact<readonly [number, number]>;
  readonly eps: Fact<number>;
  readonly decay: Fact<number>;
}

/** `settings`: what all files and the command say by name, accelerate's first. */
export function factsOf(
  launch: Launch,
  settings: Settings,
  config: Section | null,
  ranks: number,
  ranksKnown: boolean,
): Facts {
  const answers = answersOf(settings, config);
  const { number, fact } = answers;
  const isTrainer = launch.trainer !== null;
  const sharing = number("sequence_parallel_size") ?? parallelSize(settings, "sp_size");
  const sequence = Number.isInteger(sharing) && sharing > 1 && ranks % sharing === 0 ? sharing : 1;
  const undivided = undividedOf(launch, settings, config, ranks / sequence);
  const uncounted = undivided.ranks / undivided.counted;
  const { micro, batch, world } = shareOf(
    undivided.counted,
    triangle(answers, isTrainer, config !== null, ranks / sequence / uncounted, ranksKnown),
  );
  const left: Left[] = [];
  const optimizer = optimizerOf(answers, isTrainer, left);
  const length = lengthOf(answers, isTrainer);
  const release = packagesOf(launch).get("transformers")?.version ?? null;
  const schedule = fact(() => scheduleOf(answers, { isTrainer, lr: optimizer.lr.value, release, left }), isTrainer);
  const rate = rateOfSchedule(answers);
  return {
    micro: undivided.ranks === 1 ? micro : spread(micro, batch.value, world * uncounted),
    batch,
    ranks: world * uncounted * sequence,
    sequence,
    precision: fact(() => precisionOf(answers), isTrainer || config !== null),
    clip: fact(() => clipOf(launch, config, answers.settings), isTrainer || config !== null),
    optimizer: rate === null ? optimizer : { ...optimizer, lr: { value: rate } },
    schedule,
    length,
    ...(undivided.why === undefined ? {} : { undivided: undivided.why }),
    left: [...left, ...undivided.left, ...precisionLeft(answers), ...lengthLeft(answers, length.value)],
  };
}

/** A DeepSpeed file that does not speak of it leaves it to the engine, whatever the Trainer is told: only its `"auto"` is filled. */
function clipOf(launch: Launch, config: Section | null, settings: Settings): number {
  const written = config === null ? undefined : atPath(config, "gradient_clipping");
  if (config !== null && (written ?? null) === null)
    return usualClipping(enginesOf(launch).find(({ engine }) => engine === "deepspeed")?.version ?? newest);
  const number = written === "auto" ? Number.NaN : Number(written);
  if (Number.isFinite(number)) return number;
  return (
    numberIn(settings, "max_grad_norm", "gradient_clipping", "deepspeed_config.gradient_clipping") ?? 1
  );
}

/** A schedule of DeepSpeed's own has a length of its own. */
function lengthLeft({ number }: Answers, { value, unit }: Facts["length"]["value"]): readonly Left[] {
  const total = number("scheduler.params.total_num_steps");
  return total === null || (unit === "steps" && value === Math.round(total))
    ? []
    : [{ what: `scheduler.params.total_num_steps ${total}`, why: "a schedule ends with the run" }];
}

interface Triangle {
  readonly micro: Fact<number>;
  readonly batch: Fact<number>;
  readonly world: number;
}

/** Global batch, micro-batch and accumulation: two give the third (deepspeed runtime/config.py: _set_batch_related_parameters). */
function triangle(
  { number: own, settings }: Answers,
  isTrainer: boolean,
  isDeepSpeed: boolean,
  ranks: number,
  ranksKnown: boolean,
): Triangle {
  const micro =
    own("train_micro_batch_size_per_gpu") ??
    numberIn(settings, "per_device_train_batch_size", "micro_batch_size", "train_micro_batch_size_per_gpu") ??
    (isTrainer ? 8 : null);
  const accumulation =
    own("gradient_accumulation_steps") ??
    numberIn(settings, "gradient_accumulation_steps", "deepspeed_config.gradient_accumulation_steps") ??
    (isTrainer ? 1 : null);
  const batch = own("train_batch_size");
  if (batch !== null && micro !== null && !ranksKnown) {
    const passes = batch / micro;
    if (accumulation !== null && Number.isInteger(passes / accumulation))
      return { micro: { value: micro }, batch: { value: batch }, world: passes / accumulation };
    // Of ranks that nobody says, each has a micro-batch.
    const most = Number.isInteger(passes) ? divisors(passes).findLast((one) => one <= ranks) : undefined;
    if (accumulation === null && most !== undefined)
      return { micro: { value: micro }, batch: { value: batch }, world: most };
  }
  if (batch !== null) {
    const each = micro ?? batch / (ranks * (accumulation ?? 1));
    if (Number.isInteger(each) && each > 0)
      return { micro: { value: each }, batch: { value: batch }, world: ranks };
    return { micro: { value: 1, guessed: unsaid }, batch: { value: batch }, world: ranks };
  }
  const value = micro ?? 1;
  const samples: Fact<number> = micro === null ? { value, guessed: unsaid } : { value };
  const all = value * (accumulation ?? 1) * ranks;
  const why =
    micro === null || (accumulation === null && !isDeepSpeed)
      ? unsaid
      : ranksKnown
        ? undefined
        : "the number of ranks is a guess";
  return { micro: samples, batch: why === undefined ? { value: all } : { value: all, guessed: why }, world: ranks };
}

/** What is left of a batch that counts `times` ranks for each that reads samples. */
function shareOf(times: number, all: Triangle): Triangle {
  const { batch } = all;
  return batch.value % times === 0 ? { ...all, batch: mapped(batch, (value) => value / times) } : all;
}

/** The micro-batch of so many ranks of their own. */
function spread(micro: Fact<number>, batch: number, ranks: number): Fact<number> {
  if (batch % (micro.value * ranks) === 0) return micro;
  const most = batch % ranks === 0 ? divisors(batch / ranks).findLast((each) => each <= micro.value) : undefined;
  return most === undefined
    ? micro
    : { value: most, guessed: `each rank has its own samples here, but ${micro.value} were shared by several ranks` };
}

/** In eight bits only products are: accelerate runs the rest in bf16 (accelerate/accelerator.py: _prepare_te). */
function precisionLeft({ own, settings }: Answers): readonly Left[] {
  const mixed = textIn(settings, "mixed_precision");
  const isConfigured = ["bf16", "bfloat16", "fp16"].some((name) => own(`${name}.enabled`) === true);
  return mixed === "fp8" && !isConfigured
    ? [{ what: "mixed_precision fp8", why: "the training program computes in no less than 16 bits; `precision = bf16` is what the rest ran in" }]
    : [];
}

function precisionOf({ own, settings }: Answers): Facts["precision"]["value"] {
  if (own("bf16.enabled") === true || own("bfloat16.enabled") === true) return "bf16";
  if (own("fp16.enabled") === true) return "fp16";
  const mixed = textIn(settings, "mixed_precision");
  if (switchIn(settings, "bf16") === true || mixed === "bf16" || mixed === "fp8" || textIn(settings, "bf16") === "auto") return "bf16";
  return switchIn(settings, "fp16") === true || mixed === "fp16" ? "fp16" : "fp32";
}

const adams: ReadonlySet<string> = new Set([
  ...["adam", "adamw", "fusedadam", "adamw_torch", "adamw_torch_fused", "adamw_hf", "adamw_apex_fused", "deepspeedcpuadam"],
]);

const rateOf = (value: number, guessed: string | undefined): Fact<number> =>
  guessed === undefined ? { value } : { value, guessed };

/**
 * What the optimizer of a DeepSpeed file has where the file leaves it out: the Trainer fills in only what is "auto" (ops/adam/fused_adam.py;
 * transformers/integrations/deepspeed.py: fill_match).
 */
const engineUsual = { lr: 1e-3, eps: 1e-8, decay: 0 } as const;

/** torch.optim.AdamW, which `torch_adam` asks for. */
const torchDecay = 0.01;

function optimizerOf({ own, number, settings, fact, isAuto }: Answers, isTrainer: boolean, left: Left[]): Optimizer {
  const type = own("optimizer.type") ?? textIn(settings, "optim", "optimizer");
  if (typeof type === "string" && !adams.has(type.toLowerCase()))
    left.push({ what: `the optimizer ${type}`, why: "the training program uses AdamW" });
  const betas = own("optimizer.params.betas");
  const pair = Array.isArray(betas) ? (betas as readonly Document[]).map(Number) : [];
  // What is no Adam steps by another length: its rate is not one for AdamW. Muon names that of its Adam.
  const foreign = typeof type === "string" && !/adam/i.test(type) ? `${type} had it` : undefined;
  const isTorch = own("optimizer.params.torch_adam") === true && /adamw/i.test(String(type));
  const adamRate = number("optimizer.params.adam_lr");
  const isEngines = own("optimizer.type") !== undefined;
  const isMade = isTrainer || isEngines;
  const ofEngine = <T>(name: string, usual: T): T | null => (isEngines && !isAuto(`optimizer.params.${name}`) ? usual : null);
  const lr =
    adamRate ??
    number("optimizer.params.lr") ??
    ofEngine("lr", engineUsual.lr) ??
    numberIn(settings, "learning_rate", "lr") ??
    number("scheduler.params.warmup_max_lr") ??
    (isTrainer ? 5e-5 : null);
  return {
    lr: lr === null || lr <= 0 ? { value: 1e-4, guessed: unsaid } : rateOf(lr, adamRate === null ? foreign : undefined),
    betas: fact(
      () => [
        pair[0] ?? ofEngine("betas", 0.9) ?? numberIn(settings, "adam_beta1") ?? 0.9,
        pair[1] ?? ofEngine("betas", 0.999) ?? numberIn(settings, "adam_beta2") ?? 0.999,
      ],
      isMade,
    ),
    eps: fact(() => number("optimizer.params.eps") ?? ofEngine("eps", engineUsual.eps) ?? numberIn(settings, "adam_epsilon") ?? 1e-8, isMade),
    decay: fact(
      () =>
        number("optimizer.params.weight_decay") ??
        ofEngine("weight_decay", isTorch ? torchDecay : engineUsual.decay) ??
        numberIn(settings, "weight_decay") ??
        0,
      isMade,
    ),
  };
}

function lengthOf(answers: Answers, isTrainer: boolean): Facts["length"] {
  const { number, settings } = answers;
  const steps = numberIn(settings, "max_steps", "max_train_steps", "train_iters", "num_steps");
  if (steps !== null && steps > 0) return { value: { value: steps, unit: "steps" } };
  const epochs = numberIn(settings, "num_train_epochs", "num_epochs", "epochs") ?? (isTrainer ? 3 : null);
  if (epochs !== null && epochs > 0) return { value: { value: epochs, unit: "epochs" } };
  const total = number("scheduler.params.total_num_steps");
  if (total !== null && total >= 1) return { value: { value: Math.round(total), unit: "steps" } };
  const warmup = engineWarmup(answers);
  return { value: { value: Math.max(1000, 10 * Math.round(warmup)), unit: "steps" }, guessed: unsaid };
}
