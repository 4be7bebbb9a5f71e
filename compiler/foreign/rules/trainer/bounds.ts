/** Figures that the Trainer passes on, and what takes them refuses. */
import { numberIn, textIn, toldIn, type Settings } from "../../settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";

interface Bound {
  readonly names: readonly string[];
  readonly from: number;
  /** The least that is too much. */
  readonly below?: number;
  /** The one number between that is refused. */
  readonly not?: number;
  readonly isRead?: (trainer: Settings) => boolean;
  readonly said: string;
}

/** Adam and Lion read the decays; others have their own. */
const hasMoments = (trainer: Settings): boolean =>
  /adam|lion/i.test(textIn(trainer, "optim", "optimizer") ?? "adamw_torch");

const evaluates = (trainer: Settings): boolean =>
  !/^(?:no|false)$/i.test(String(toldIn(trainer, "eval_strategy", "evaluation_strategy")?.value ?? "no"));

const bounds: readonly Bound[] = [
  { names: ["learning_rate"], from: 0, said: "at least 0" },
  {
    names: ["adam_beta1", "adam_beta2"],
    from: 0,
    below: 1,
    isRead: hasMoments,
    said: "at least 0 and below 1",
  },
  { names: ["adam_epsilon"], from: 0, isRead: hasMoments, said: "at least 0" },
  { names: ["seed"], from: 0, below: 2 ** 32, said: "at least 0 and below 2^32" },
  {
    names: ["dataloader_prefetch_factor"],
    from: 1,
    isRead: (trainer) => (numberIn(trainer, "dataloader_num_workers") ?? 0) > 0,
    said: "at least 1",
  },
  { names: ["per_device_eval_batch_size"], from: 1, isRead: evaluates, said: "at least 1" },
  {
    names: ["eval_accumulation_steps"],
    from: Number.NEGATIVE_INFINITY,
    not: 0,
    isRead: evaluates,
    said: "at least 1, or left out",
  },
  { names: ["neftune_noise_alpha"], from: 0, said: "at least 0" },
];

/** As Python's float reads it; `null` where that is no number. */
function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return null;
  if (/^\s*[-+]?\.?nan\s*$/i.test(value)) return Number.NaN;
  return value.trim() === "" || Number.isNaN(Number(value)) ? null : Number(value);
}

function beyond(trainer: Settings, { names, from, below, not, isRead, said }: Bound): readonly Found[] {
  if (isRead?.(trainer) === false) return [];
  return names.flatMap((name): readonly Found[] => {
    const told = toldIn(trainer, name);
    const number = told?.known === true ? numberOf(told.value) : null;
    // NaN is on neither side.
    if (told === undefined || number === null) return [];
    if (number !== not && number >= from && (below === undefined || number < below)) return [];
    return [{ span: told.span, message: `${told.name} is ${String(told.value)}: it must be ${said}` }];
  });
}

export const trainerBoundRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-bound",
    source:
      "torch/optim/adamw.py: AdamW.__init__ (Invalid learning rate, beta parameter, epsilon value); numpy.random.seed; torch/utils/data/dataloader.py: DataLoader.__init__, BatchSampler.__init__; transformers/trainer.py: Trainer.evaluation_loop (a remainder by eval_accumulation_steps); transformers/integrations/neftune.py: neftune_post_forward_hook",
    why: "The optimizer, the random generator and the data loader refuse some numbers that TrainingArguments takes, and stop the run after the model is loaded.",
    fix: "Write a number within the bounds that the message names.",
    check: withTrainer((trainer) => bounds.flatMap((bound) => beyond(trainer, bound))),
    fires: { "args.yaml": yaml("adam_beta2: 1.0\n") },
    silent: { "args.yaml": yaml("adam_beta2: 0.999\n") },
  }),
];
