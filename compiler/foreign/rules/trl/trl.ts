/** What TRL refuses of the groups that GRPO samples. */
import type { Launch } from "../../launch.ts";
import { below } from "../../../engines/release.ts";
import { packagesOf } from "../../known/packages.ts";
import { refusedOf, type Refusal } from "../../refusals.ts";
import { numberIn, toldIn, type Settings } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const file = "output_dir: out\nper_device_train_batch_size: 4\n";
const run = "accelerate launch --num_processes 4 grpo.py --config grpo.yaml\n";

/** Programs whose options are TRL's by name and their own by what they do. */
const others = /(?:^|\/)(?:swift|megatron)$|(?:^|\/|\.)(?:swift|open_instruct)(?:\/|\.)/;

/** Completions of a prompt, where TRL's GRPO trains. */
function generationsOf(launch: Launch): { readonly trainer: Settings; readonly count: number } | null {
  const { trainer } = launch;
  // ms-swift's files have the names, and a teacher makes one completion enough.
  if (trainer === null || trainer.has("rlhf_type")) return null;
  if (
    launch.runs.some(({ launcher, program }) =>
      [launcher.word, program].some((word) => others.test(word?.text ?? "")),
    )
  )
    return null;
  const told = toldIn(trainer, "num_generations");
  const isGrpo = launch.runs.some(({ launcher, program, args }) =>
    /(?:^|\/)trl$/.test(launcher.word.text ?? "")
      ? args[0]?.text === "grpo" || program?.text === "grpo"
      : /(?:^|[/.])(?:trl[/.]scripts|open_r1)[/.]grpo(?:\.py)?$/.test(program?.text ?? ""),
  );
  if (told === undefined) return isGrpo ? { trainer, count: 8 } : null;
  const count = numberIn(trainer, "num_generations");
  return count === null || !told.known ? null : { trainer, count };
}

const isRead = (trainer: Settings, names: readonly string[]): boolean =>
  names.every((name) => toldIn(trainer, name)?.known !== false);

/** Of the groups that GRPO and RLOO sample. */
export const groupRefusals: readonly Refusal[] = [
  { all: ["generation_batch_size", "steps_per_generation"], by: "__post_init__" },
  { all: ["num_generations", "auto_find_batch_size"], by: "__post_init__" },
  { all: ["num_generations", "log_completions_hub_repo", "!log_completions"], by: "__post_init__" },
];

/** Options that are a dictionary and nothing else: argparse makes none of a text. */
const dictionaries = new Set([
  "dataset_kwargs",
  "chat_template_kwargs",
  "generation_kwargs",
  "liger_kernel_config",
  "transformers_continuous_batching_config",
]);

export const trlRules: readonly ForeignRule[] = [
  rule({
    name: "trl-generations",
    source: "trl/trainer/grpo_config.py: GRPOConfig.__post_init__",
    why: "GRPO compares the completions of a prompt with each other: a single completion has no advantage.",
    fix: "Set num_generations to 2 or more.",
    check: (launch): readonly Found[] => {
      const generations = generationsOf(launch);
      const told = generations === null ? undefined : toldIn(generations.trainer, "num_generations");
      if (generations === null || told === undefined || generations.count >= 2) return [];
      return [{ span: told.span, message: `num_generations ${generations.count} leaves nothing to compare` }];
    },
    fires: { "grpo.yaml": `${file}num_generations: 1\n` },
    silent: { "grpo.yaml": `${file}num_generations: 2\n` },
  }),
  rule({
    name: "trl-generation-batch",
    source: "trl/trainer/grpo_config.py: GRPOConfig.__post_init__",
    why:
      "All completions of a prompt are sampled and compared in one batch: samples per GPU x ranks x steps that share a sampling. " +
      "TRL refuses a batch that splits a group.",
    fix: "Choose num_generations so that it divides the batch, or change per_device_train_batch_size or gradient_accumulation_steps.",
    check: (launch): readonly Found[] => {
      const generations = generationsOf(launch);
      const world = launch.world.size;
      if (generations === null || world === null || generations.count < 2) return [];
      const { trainer, count } = generations;
      const names = ["per_device_train_batch_size", "steps_per_generation", "gradient_accumulation_steps"];
      if (trainer.has("generation_batch_size") || !isRead(trainer, names)) return [];
      const samples = numberIn(trainer, "per_device_train_batch_size") ?? 8;
      const trl = packagesOf(launch).get("trl")?.version ?? null;
      // Before 0.17 a step sampled for itself.
      const accumulated = numberIn(trainer, "steps_per_generation", "gradient_accumulation_steps") ?? 1;
      const steps = trl !== null && below(trl, "0.17.0") ? 1 : accumulated;
      const batch = samples * world * steps;
      const told = toldIn(trainer, "num_generations", ...names);
      if (told === undefined || batch % count === 0) return [];
      const divides = Array.from({ length: Math.min(batch, 64) }, (_, at) => at + 1)
        .filter((each) => each > 1 && batch % each === 0)
        .map(String);
      return [
        {
          span: told.span,
          message: `num_generations ${count} does not divide ${samples} samples x ${world} ranks x ${steps} steps = ${batch}`,
          valid: divides,
          ...nearby("samples of a GPU", toldIn(trainer, "per_device_train_batch_size")?.span),
        },
      ];
    },
    fires: { "grpo.yaml": `${file}num_generations: 10\n`, "run.sh": run },
    silent: { "grpo.yaml": `${file}num_generations: 8\n`, "run.sh": run },
  }),
  rule({
    name: "trl-exclusive",
    source: "trl/trainer/grpo_config.py: GRPOConfig.__post_init__; rloo_config.py: RLOOConfig.__post_init__",
    why: "The size of the batch that is sampled together comes from one number: with a second one, or a batch that shrinks when memory runs out, groups would be split, and TRL stops.",
    fix: "Keep one of them.",
    check: ({ trainer, runs }) =>
      trainer === null ? [] : refusedOf(trainer, groupRefusals, { open: runs.some(({ open }) => open) }),
    fires: { "grpo.yaml": `${file}num_generations: 4\ngeneration_batch_size: 16\nsteps_per_generation: 4\n` },
    silent: { "grpo.yaml": `${file}num_generations: 4\nsteps_per_generation: 4\n` },
  }),
  rule({
    name: "trl-dictionary",
    source: "transformers/hf_argparser.py: HfArgumentParser._parse_dataclass_field (type=dict)",
    why: "On the command line the option is built by `dict(text)`, which refuses any text: `invalid dict value`.",
    fix: "Write it as a section of a YAML file, and pass that file with --config.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher, options }) =>
        !/(?:^|\/)trl$/.test(launcher.word.text ?? "")
          ? []
          : [...options].flatMap(([name, told]): readonly Found[] =>
              dictionaries.has(name)
                ? [{ span: told.nameSpan, message: `${name} is a dictionary, which the command line cannot give` }]
                : [],
            ),
      ),
    fires: { "run.sh": "trl sft --output_dir out --dataset_kwargs '{}'\n" },
    silent: { "run.sh": "trl sft --output_dir out --model_init_kwargs '{}'\n" },
  }),
];
