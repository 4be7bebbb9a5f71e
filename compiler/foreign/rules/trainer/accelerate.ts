/** The Trainer against what accelerate and DeepSpeed are told elsewhere, where neither file alone is wrong. */
import { documentsOf } from "../../launch.ts";
import { at, entryOf, scalarOf } from "../../documents/located.ts";
import { given } from "../../said.ts";
import { numberIn, switchIn, toldIn } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { withTrainer, yaml } from "./trainer.ts";
import { zeroStages } from "../zero.ts";

const section =
  "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n";
const run = "accelerate launch --config_file acc.yaml train.py --output_dir out --per_device_train_batch_size 4";

/** What accelerate's own section makes of a DeepSpeed configuration, and what the Trainer holds against it. */
const both = [
  ["gradient_accumulation_steps", "gradient_accumulation_steps", 1],
  ["gradient_clipping", "max_grad_norm", 1],
] as const;

export const trainerAccelerateRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-accelerate-mismatch",
    source:
      "accelerate/utils/dataclasses.py: DeepSpeedPlugin.__post_init__; transformers/integrations/deepspeed.py: propagate_args_to_deepspeed, HfTrainerDeepSpeedConfig.trainer_config_process",
    why: "accelerate builds a DeepSpeed configuration from its own section, and the Trainer compares its numbers with that too, including its defaults (max_grad_norm is 1).",
    fix: "Make the two numbers equal, or remove the one in accelerate's section.",
    check: withTrainer((trainer, { accelerate }) => {
      if (accelerate === null || given(accelerate, "deepspeed_config_file", "deepspeed_config.deepspeed_config_file"))
        return [];
      if (String(toldIn(accelerate, "distributed_type")?.value ?? "").toUpperCase() !== "DEEPSPEED") return [];
      if (given(trainer, "deepspeed") !== undefined) return [];
      return both.flatMap(([theirs, ours, otherwise]): readonly Found[] => {
        const told = toldIn(accelerate, `deepspeed_config.${theirs}`, theirs);
        const own = toldIn(trainer, ours);
        const [a, b] = [Number(told?.value), own === undefined ? otherwise : numberIn(trainer, ours)];
        if (told === undefined || !told.known || own?.known === false || b === null || !(a > 0) || a === b) return [];
        return [
          {
            span: told.span,
            message: `${theirs} is ${a} here, but the Trainer's ${ours} ${b}${own === undefined ? " (its default)" : ""}`,
            valid: [String(b)],
            ...nearby("the Trainer", own?.span),
          },
        ];
      });
    }),
    fires: {
      "acc.yaml": `${section}  gradient_accumulation_steps: 4\n  zero_stage: 2\n`,
      "run.sh": `${run} --gradient_accumulation_steps 2\n`,
    },
    silent: {
      "acc.yaml": `${section}  gradient_accumulation_steps: 4\n  zero_stage: 2\n`,
      "run.sh": `${run} --gradient_accumulation_steps 4\n`,
    },
  }),
  rule({
    name: "deepspeed-accumulation-unsaid",
    source:
      "accelerate/utils/dataclasses.py: DeepSpeedPlugin.__post_init__; deepspeed/runtime/config.py: _batch_assertion",
    why:
      'The Trainer fills in "auto" only for keys that are present. A DeepSpeed JSON without gradient_accumulation_steps gets 1, while the total batch is computed with the Trainer\'s steps: ' +
      "DeepSpeed stops because the product does not match.",
    fix: 'Add "gradient_accumulation_steps": "auto" to the DeepSpeed JSON.',
    check: withTrainer((trainer, launch) => {
      const told = toldIn(trainer, "gradient_accumulation_steps");
      const steps = numberIn(trainer, "gradient_accumulation_steps") ?? 1;
      if (told === undefined || !told.known || steps === 1) return [];
      return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const batch = at(root, "train_batch_size");
        if (scalarOf(batch) !== "auto" || batch === undefined || entryOf(root, "gradient_accumulation_steps"))
          return [];
        return [
          {
            span: batch.span,
            message: `"auto" assumes ${steps} accumulation steps, but without gradient_accumulation_steps DeepSpeed uses 1`,
            ...nearby("the Trainer's steps", told.span),
          },
        ];
      });
    }),
    fires: {
      "ds.json":
        '{ "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "zero_optimization": { "stage": 2 } }',
      "args.yaml": yaml("gradient_accumulation_steps: 4\ndeepspeed: ds.json\n"),
    },
    silent: {
      "ds.json":
        '{ "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": { "stage": 2 } }',
      "args.yaml": yaml("gradient_accumulation_steps: 4\ndeepspeed: ds.json\n"),
    },
  }),
  rule({
    name: "trainer-weights-only",
    source: "transformers/trainer.py: Trainer.create_accelerator_and_postprocess",
    why: "Under DeepSpeed and FSDP the best model is loaded through the engine's own state, which save_only_model leaves out. And ZeRO-3 cannot restart with a smaller batch, as auto_find_batch_size does.",
    fix: "Remove save_only_model or load_best_model_at_end; with ZeRO-3 remove auto_find_batch_size.",
    check: withTrainer((trainer, launch) => {
      const stages = zeroStages(launch);
      const sharded = stages[0]?.span ?? given(trainer, "fsdp")?.nameSpan ?? given(trainer, "deepspeed")?.nameSpan;
      const found: Found[] = [];
      const [only, best, finds] = ["save_only_model", "load_best_model_at_end", "auto_find_batch_size"].map((name) =>
        switchIn(trainer, name) === true ? toldIn(trainer, name) : undefined,
      );
      if (only !== undefined && best !== undefined && sharded !== undefined)
        found.push({
          span: only.nameSpan,
          message: "save_only_model leaves out the sharded state that load_best_model_at_end needs",
          ...nearby("the best model", best.nameSpan),
        });
      const third = stages.find(({ stage }) => stage === 3);
      if (finds !== undefined && third !== undefined)
        found.push({
          span: finds.nameSpan,
          message: "auto_find_batch_size cannot be combined with ZeRO stage 3",
          valid: ["false"],
          ...nearby("stage 3", third.span),
        });
      return found;
    }),
    fires: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": "auto", "zero_optimization": { "stage": 3 } }',
      "args.yaml": yaml("auto_find_batch_size: true\ndeepspeed: ds.json\n"),
    },
    silent: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": "auto", "zero_optimization": { "stage": 2 } }',
      "args.yaml": yaml("auto_find_batch_size: true\ndeepspeed: ds.json\n"),
    },
  }),
];
