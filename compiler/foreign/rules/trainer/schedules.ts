/** Schedules of the Trainer that want more than their name. */
import { inTable } from "../../../../dsl/in-table.ts";
import { below } from "../../../engines/release.ts";
import { documentsOf } from "../../launch.ts";
import { at } from "../../documents/located.ts";
import { packagesOf } from "../../known/packages.ts";
import { numberIn, textIn, toldIn } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";

interface Needed {
  /** One of these. */
  readonly names: readonly string[];
  /** What programs call an option of their own from which they fill it. */
  readonly own: RegExp;
}

const leastRate: Needed = { names: ["min_lr", "min_lr_rate"], own: /(?:^|_)min_?(?:lr|learning_rate)/ };
const needed: Readonly<Record<string, Needed>> = {
  warmup_stable_decay: { names: ["num_decay_steps"], own: /decay_(?:steps|ratio|fraction)|cooldown/ },
  cosine_with_min_lr: leastRate,
  cosine_warmup_with_min_lr: leastRate,
};

export const trainerScheduleRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-schedule-arguments",
    source:
      "transformers/optimization.py: get_wsd_schedule (num_decay_steps has no default), get_cosine_with_min_lr_schedule_with_warmup (`One of min_lr or min_lr_rate should be set`)",
    why: "The length of a decay after a stable rate, and the rate at which a cosine ends above 0, have no default. Without them the schedule fails after the model is loaded.",
    fix: "Add lr_scheduler_kwargs with what the message names, such as '{\"num_decay_steps\": 200}' or '{\"min_lr_rate\": 0.1}'.",
    check: withTrainer((trainer, launch): readonly Found[] => {
      const told = toldIn(trainer, "lr_scheduler_type");
      const schedule = textIn(trainer, "lr_scheduler_type") ?? "";
      const wanted = inTable(needed, schedule);
      if (told === undefined || wanted === undefined) return [];
      const { names, own } = wanted;
      if ([...trainer.keys()].some((name) => own.test(name))) return [];
      if (trainer.has("lr_scheduler_kwargs") || launch.runs.some(({ open }) => open)) return [];
      // DeepSpeed's own schedule takes its place.
      if (documentsOf(launch, "deepspeed").some(({ root }) => at(root, "scheduler") !== undefined)) return [];
      return [{ span: told.span, message: `${schedule} needs ${names.join(" or ")} in lr_scheduler_kwargs` }];
    }),
    fires: { "args.yaml": yaml("lr_scheduler_type: warmup_stable_decay\n") },
    silent: {
      "args.yaml": yaml("lr_scheduler_type: warmup_stable_decay\nlr_scheduler_kwargs:\n  num_decay_steps: 100\n"),
    },
  }),
  rule({
    name: "trainer-dictionary",
    source: "transformers/training_args.py: TrainingArguments.__post_init__ (_VALID_DICT_FIELDS)",
    why: "The option is a dictionary. Text that begins with a brace is read as JSON; any other text is not parsed, and the program stops when it unpacks it.",
    fix: "Write a YAML section, or JSON in quotes.",
    check: withTrainer((trainer) =>
      ["lr_scheduler_kwargs", "gradient_checkpointing_kwargs"].flatMap((name): readonly Found[] => {
        const told = toldIn(trainer, name);
        if (told === undefined || !told.known || typeof told.value !== "string" || told.value === name) return [];
        const text = told.value.trim();
        if (text.startsWith("{") || text === "" || text.startsWith("$") || /^(?:null|none)$/i.test(text)) return [];
        return [{ span: told.span, message: `${name} must be a dictionary, but ${text} is not one` }];
      }),
    ),
    fires: { "args.yaml": yaml("lr_scheduler_kwargs: num_cycles=2\n") },
    silent: { "args.yaml": yaml("lr_scheduler_kwargs:\n  num_cycles: 2\n") },
  }),
  rule({
    name: "trainer-warmup-share",
    source: "transformers/training_args.py: TrainingArguments.warmup_steps (a whole number before 5.0)",
    why: "Before transformers 5, warmup_steps is a number of steps and warmup_ratio a share of the run: a fraction is refused on the command line, and in a file counts as less than one step.",
    fix: "Write warmup_ratio, or a whole number of steps.",
    check: withTrainer((trainer, launch): readonly Found[] => {
      const told = toldIn(trainer, "warmup_steps");
      const share = numberIn(trainer, "warmup_steps");
      const transformers = packagesOf(launch).get("transformers");
      if (told === undefined || share === null || Number.isInteger(share)) return [];
      if (transformers?.version == null || !below(transformers.version, "5.0")) return [];
      return [
        {
          span: told.nameSpan,
          message: `warmup_steps ${share} is not a number of steps in transformers ${transformers.version}: use warmup_ratio for a share`,
          valid: ["warmup_ratio"],
          ...nearby("the release", transformers.span),
        },
      ];
    }),
    fires: { "args.yaml": yaml("warmup_steps: 0.1\n"), "requirements.txt": "transformers==4.46.1\n" },
    silent: { "args.yaml": yaml("warmup_steps: 10\n"), "requirements.txt": "transformers==4.46.1\n" },
  }),
];
