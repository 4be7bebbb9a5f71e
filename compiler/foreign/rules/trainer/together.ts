/** Options of the Trainer that do not go together, release by release. */
import { documentsOf, type Launch } from "../../launch.ts";
import { packagesOf } from "../../known/packages.ts";
import type { Defaults } from "../../refusals.ts";
import { refusedIn, type ReleasedRefusal } from "../../released-refusals.ts";
import { textIn, type Settings, type Told } from "../../settings.ts";
import { rule, type ForeignRule } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";

/** How the rows call a launch of more processes than one. */
const several = "several processes";

const wrapped = ["fsdp_config.activation_checkpointing", "fsdp_config.fsdp_activation_checkpointing"];
const accumulates = "gradient_accumulation_steps!=1";
const layered =
  "optim~galore_adamw_layerwise|galore_adamw_8bit_layerwise|galore_adafactor_layerwise|apollo_adamw_layerwise";

/** Read off transformers 4.30 to 5.23. */
export const trainerRefusals: readonly ReleasedRefusal[] = [
  { all: ["fp16_full_eval", "bf16_full_eval"], by: "TrainingArguments._validate_args" },
  { all: ["save_strategy=best", "!metric_for_best_model", "!load_best_model_at_end"], by: "Trainer._validate_args" },
  ...wrapped.map((name): ReleasedRefusal => ({
    all: ["fsdp", name, "gradient_checkpointing"],
    by: "Trainer.create_accelerator_and_postprocess",
    since: "4.33",
  })),
  ...["min_num_params", "fsdp_min_num_params"].map((name): ReleasedRefusal => ({
    all: [
      "fsdp",
      `fsdp_config.${name}`,
      `fsdp_config.${name.replace("min_num_params", "transformer_layer_cls_to_wrap")}`,
    ],
    by: "TrainingArguments._process_fsdp_args",
    since: "4.32",
    until: "5.10",
  })),
  ...["deepspeed", "fsdp"].map((name): ReleasedRefusal => ({
    all: [name, "auto_find_batch_size"],
    by: "Trainer.create_accelerator_and_postprocess",
    since: "4.38",
    until: "4.45",
  })),
  { all: ["optim~galore_|apollo_", "!optim_target_modules"], by: "_setup_low_rank_optimizer", since: "4.39" },
  { all: [layered, accumulates], by: "_setup_low_rank_optimizer", since: "4.39" },
  { all: [layered, several], by: "_setup_low_rank_optimizer", since: "4.39" },
  {
    all: ["accelerator_config.gradient_accumulation_kwargs.num_steps", accumulates],
    by: "Trainer._build_accelerator_args",
    since: "4.40",
  },
  { all: ["streaming", "group_by_length"], by: "Trainer.__init__", until: "5.2" },
  ...["use_cpu", "no_cuda"].map((name): ReleasedRefusal => ({
    all: [name, "fp16"],
    by: "TrainingArguments.__post_init__",
    until: "4.41",
  })),
];

export const trainerDefaults: Defaults = { gradient_accumulation_steps: "1" };

/** These schedules look at a metric, and the Trainer takes the loss for it where none is named. */
const looking = /^(?:reduce_lr_on_plateau|greedy)$/;

function defaultsOf(trainer: Settings): Defaults {
  const schedule = textIn(trainer, "lr_scheduler_type") ?? "";
  return looking.test(schedule) ? { ...trainerDefaults, metric_for_best_model: "loss" } : trainerDefaults;
}

/** What the Trainer is told, and among it that there are several processes. */
function withProcesses(trainer: Settings, { world }: Launch): Settings {
  const place = world.said[0]?.span;
  if (world.size === null || world.size < 2 || place === undefined) return trainer;
  const told: Told = { value: true, known: true, span: place, name: several, nameSpan: place, from: [] };
  return new Map([[several, told], ...trainer]);
}

export const trainerTogetherRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-refused",
    source: `transformers/training_args.py, trainer.py, trainer_optimizer.py: ${[...new Set(trainerRefusals.map(({ by }) => by))].join(", ")}`,
    why: "The Trainer checks its options against each other when it is created, on every rank and usually after the model is loaded, and stops at the first pair that cannot be combined.",
    fix: "Remove one of the two, or add what the message says is needed. Under FSDP use fsdp_config.activation_checkpointing instead of gradient_checkpointing to recompute.",
    check: withTrainer((trainer, launch) => {
      // Axolotl fills in some of these itself, and has rules of its own for the others.
      if (documentsOf(launch, "axolotl").length > 0) return [];
      return refusedIn(
        withProcesses(trainer, launch),
        trainerRefusals,
        { name: "transformers", installed: packagesOf(launch).get("transformers") },
        { defaults: defaultsOf(trainer), open: launch.runs.some(({ open }) => open) },
      );
    }),
    fires: {
      "args.yaml": yaml(
        "fsdp: full_shard\nfsdp_config:\n  activation_checkpointing: true\ngradient_checkpointing: true\n",
      ),
    },
    silent: {
      "args.yaml": yaml(
        "fsdp: full_shard\nfsdp_config:\n  activation_checkpointing: true\ngradient_checkpointing: false\n",
      ),
    },
  }),
];
